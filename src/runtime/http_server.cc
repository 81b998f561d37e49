#include "runtime/http_server.h"

#include <gnutls/gnutls.h>
#include <linux/tcp.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <list>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "runtime/fair_shares.h"
#include "runtime/fd_watch.h"
#include "runtime/listen_socket.h"
#include "runtime/request_problem.h"
#include "runtime/signal.h"
#include "runtime/turn_share.h"

namespace sluice {
namespace {

// Of a body over its limit so much is read and dropped, so that an honest sender gets to read its
// 413.
constexpr int64_t dropped_body_factor = 4;
// Of a body that is not wanted at all so much is read and dropped: a client that still sends does
// not see an answer. A client that sends more is answered at once, and cut off.
constexpr int64_t unwanted_body_bytes_max = int64_t{1} << 20;
// At its own limit the daemon accepts nobody until something else happens: those that were shown
// out and that it has not closed yet are not to bring it there. It accepts some ten at a time.
constexpr int leaving_max = 64;
// Of the files that a process may have open so many are for others than connections: those that are
// shown out, the database's, another listener. Without one left nobody is accepted, in a loop.
constexpr int64_t files_of_others = 256;
constexpr int64_t connections_least = 16;
// So long a visit of the daemon lasts before the rest of the loop has its turn, and so long bodies
// are read in a turn: an answer takes some ten to twenty turns.
constexpr int64_t visit_ns_max = ns_per_ms;
// When that has gone, a body comes on by so much at a time, in turns with the others. That many
// pieces of a byte each take some 30 us.
constexpr int64_t quantum_bytes = int64_t{32} * 1024;
constexpr int64_t piece_cost_bytes = 128;
// By steps of so much a body takes its share, not by pieces, which may have a byte each.
constexpr int64_t share_step_bytes = 1024;
// For so many rounds in succession bytes of a body may wait while the daemon reads none of them.
constexpr int unread_rounds_max = 3;
// Longer than what says a chunk's size (some 100 bytes with a signature), and than trailers. Of a
// TLS record, 16 KiB and some bytes, the daemon hears when all of it is there.
constexpr int64_t framing_bytes_max = int64_t{4} * 1024;
constexpr int64_t tls_record_bytes_max = int64_t{17} * 1024;
// How often slow connections are looked for.
constexpr int64_t slow_look_ns = ns_per_s;
// With TLS, connections that have not begun a request yet: those that are set aside (see below) are
// walked past at each answer, and each holds some 18 KiB of its session.
constexpr int newcomers_max = 512;
constexpr int newcomer_timeout_s = 10;
// Slower than this over a whole body, or a whole answer, is an attack or as good as one.
constexpr int64_t bytes_per_s_min = int64_t{16} * 1024;
constexpr std::string_view busy_retry_after_s = "5";
// Of the daemon (D-416): 1.0 else takes folded lines, of which a proxy may make something else, and
// a bare LF for a line's end. 1.0.1 leaves one behind a chunk's extension: what follows it,
// trailers that the proxy passed on, was another request.
constexpr int strictness = 1;
// Keys of each connection's own, which no later thief of the certificate's learns, on curves alone
// (D-404), and ciphers that authenticate what they encrypt.
constexpr const char* tls_priorities =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-GROUP-DH-ALL:"
    "-MAC-ALL:+AEAD";
// So much of an answer has its place when its request is let in: what has been done is then told,
// however full its share is by now.
constexpr int64_t answer_bytes_min = int64_t{4} * 1024;
// Of an answer that comes in parts, so much is handed to the daemon at a time.
constexpr size_t part_bytes_max = size_t{16} * 1024;
// Of a body that is read in pieces, so much waits to be taken; then the client has to.
constexpr size_t piece_bytes_max = size_t{1} << 20;

HttpFields fields_of(MHD_Connection* connection, MHD_ValueKind kind) {
  HttpFields fields;
  const auto collect = [](void* out, MHD_ValueKind of_kind, const char* name, const char* value) {
    auto& list = *static_cast<HttpFields*>(out);
    list.emplace_back(of_kind == MHD_HEADER_KIND ? to_lower(name) : name,
                      value == nullptr ? "" : value);
    return MHD_YES;
  };
  MHD_get_connection_values(connection, kind, collect, &fields);
  return fields;
}

// Arguments arrive as sent, for we take the decoding from the daemon (leave_escaped). False when
// one is malformed.
bool decode(HttpFields& arguments) {
  for (auto& [name, value] : arguments) {
    auto plain_name = percent_decode(name);
    auto plain_value = percent_decode(value);
    if (!plain_name || !plain_value) return false;
    name = std::move(*plain_name);
    value = std::move(*plain_value);
  }
  return true;
}

HttpReply refusal(int status, std::string_view type, std::string_view message) {
  HttpReply reply;
  reply.status = status;
  reply.body = R"({"error":{"type":")";
  reply.body.append(type).append(R"(","code":null,"message":")").append(message);
  reply.body.append(R"(","hint":null,"param":null}})").append("\n");
  return reply;
}

HttpReply too_large_reply() {
  return refusal(413, "too_large", "the body is too large");
}

HttpReply busy_reply(std::string_view what) {
  HttpReply reply = refusal(503, "overloaded", "too many " + std::string(what) + " at a time");
  reply.headers.emplace_back("Retry-After", busy_retry_after_s);
  return reply;
}

// Instead of an answer for which there is no room. Of one that may have changed something, what it
// was about (Location) is kept, and the clients' libraries are not to repeat it.
HttpReply unsent_reply(bool only_reads, HttpFields headers) {
  if (only_reads) return busy_reply("bytes of answers");
  HttpReply reply = refusal(504, "outcome_unknown",
                            "it may be done, but there are too many bytes of answers at a time");
  reply.headers = std::move(headers);
  reply.headers.emplace_back("X-Should-Retry", "false");
  return reply;
}

// The daemon does not hear of a client that left with its last bytes: it takes a short read for the
// end of what there is, and no further event comes.
bool has_left(int fd) {
  char byte = 0;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

// Bytes sent before do not matter. Works also for a connection that the daemon does not watch.
bool has_hung_up(int fd) {
  pollfd look = {fd, POLLRDHUP, 0};
  return poll(&look, 1, 0) > 0;
}

// Whether it has to send before it can go on; without TLS: whether it could not.
bool does_await_room(int fd, gnutls_session_t session) {
  if (session != nullptr) return gnutls_record_get_direction(session) == 1;
  pollfd look = {fd, POLLOUT, 0};
  return poll(&look, 1, 0) == 0;
}

// Whether nothing is there to go on with, neither at its socket nor decrypted.
bool has_nothing_to_do(int fd, gnutls_session_t session, bool awaits_room) {
  if (session != nullptr && gnutls_record_check_pending(session) > 0) return false;
  pollfd look = {fd, static_cast<short>(awaits_room ? POLLIN | POLLOUT : POLLIN), 0};
  return poll(&look, 1, 0) == 0;
}

// How many bytes have been taken from a socket.
int64_t read_bytes(int fd) {
  int waiting = 0;
  tcp_info info{};
  socklen_t size = sizeof info;
  ioctl(fd, FIONREAD, &waiting);
  getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size);
  return static_cast<int64_t>(info.tcpi_bytes_received) - waiting;
}

// Whether its client can send all of its body before it hears that nobody wants it.
bool is_body_short(const HttpIncoming& incoming) {
  if (!incoming.header("expect").empty()) return false;
  const std::string_view length = incoming.header("content-length");
  int64_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  return length.empty() || (error == std::errc() && bytes <= unwanted_body_bytes_max);
}

void log_daemon_message(void*, const char*, va_list) {
  // Its messages quote what clients sent; the number of them is what may help.
  spdlog::debug("http server: the daemon reports a bad request or a network error");
}

}  // namespace

// One request from its headers to the last byte of the reply. Shared by the server and the
// coroutine that answers it.
struct Exchange {
  HttpIncoming incoming;
  bool is_let_in = false;       // it is known whom it is from, and there is a place for it
  int64_t body_bytes = 0;       // arrived, also those that were dropped
  int64_t body_bytes_max = 0;   // with more of them it is cut off
  int64_t body_room = 0;        // taken of its share, and not needed yet
  int64_t quantum_used = 0;     // by its body, since it last waited for its turn
  bool waits_for_turn = false;  // suspended until bodies before it have had theirs
  bool waiting = false;         // its connection is suspended for its handler
  bool close = false;           // the connection must not live on
  bool is_head = false;         // its method is HEAD
  std::optional<HttpReply> reply;
  bool answered = false;   // the reply is being sent
  size_t part_sent = 0;    // of reply->body, where more follows
  bool ended = false;      // nothing follows any more
  bool cut_off = false;    // what should follow cannot
  bool in_pieces = false;  // its handler reads the body as it comes:
  std::string piece;       // arrived, not taken yet
  bool body_ended = false;
  bool gone = false;  // no more will come
  Signal arrived;     // a piece, or one of the two
  std::string client;
  std::optional<FairShares::Part> place;        // among requests
  std::optional<FairShares::Part> upload;       // among those whose body is read in pieces
  std::shared_ptr<FairShares::Part> body_part;  // of what bodies may take
  std::optional<FairShares::Part> answer_part;  // of what answers may take

  void take(HttpVerdict verdict) {
    incoming.client = client = std::move(verdict.client);
    reply = std::move(verdict.refusal);
  }
  bool find_body_room(int64_t bytes) {
    if (bytes > body_room) {
      const int64_t missing = bytes - body_room;
      const bool has_step = missing < share_step_bytes && body_part->grow(share_step_bytes);
      if (!has_step && !body_part->grow(missing)) return false;
      body_room += has_step ? share_step_bytes : missing;
    }
    body_room -= bytes;
    return true;
  }
  // Takes the room for what is to be sent of `reply` now. False: there is none.
  bool find_room() {
    const int64_t more = static_cast<int64_t>(reply->body.size()) - answer_bytes_min;
    return more <= 0 || !answer_part || answer_part->grow(more);
  }
};

// Of a connection that the daemon may take for ready in vain, as of the last look.
struct Progress {
  bool is_silent = false;     // nothing came for it
  int64_t body_bytes = 0;     // that have come
  int64_t read_bytes = 0;     // from its socket
  int64_t framing_bytes = 0;  // of those, since its body came on
  int unread_rounds = 0;      // in succession, that took none of those that waited there
};

// An open connection: it has one request at a time, or is between two.
struct Visit {
  int fd = -1;           // libmicrohttpd's
  int64_t since_ns = 0;  // when it began to do what it does: sending, being answered, idle
  std::string address;   // of its client, for shares
  std::optional<RequestProblem> target_problem;  // of the request whose headers are being read
  std::shared_ptr<Exchange> exchange;
  std::unique_ptr<FairShares::Part> place;  // among connections; null: it has to go
  // Among those without a request that was let in.
  std::optional<std::list<Visit*>::iterator> idle;
  // Among those with TLS that have not begun a request.
  std::unique_ptr<FairShares::Part> newcomer;
  Progress progress;
  std::optional<FdWatch> set_aside;  // it is set aside until something happens to its socket

  bool is_with_handler() const { return exchange && exchange->waiting; }
  bool is_suspended() const {
    return set_aside || (exchange && (exchange->waiting || exchange->waits_for_turn));
  }
  bool is_being_read() const { return exchange && !exchange->answered; }
  // Of the message that is on its way.
  int64_t bytes() const {
    if (!exchange) return 0;
    return exchange->answered ? static_cast<int64_t>(exchange->reply->body.size())
                              : exchange->body_bytes;
  }
};

struct HttpServer::Engine {
  Engine(Loop& loop_, Clock& clock_, HttpServerOptions options_, Handler handler_);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  bool is_tls() const { return !options.tls_certificate.empty(); }
  bool start_daemon(int fd);
  void run_daemon();
  void run_soon();
  void wake_at(int64_t at_ns);
  void look_at_suspects();
  bool is_read_in_vain(Visit& visit) const;
  void cut_off(MHD_Connection* connection, const Visit& visit);
  void set_aside(MHD_Connection* connection, Visit& visit, bool awaits_room);

  static void* on_target(void* engine, const char* target, MHD_Connection* connection);
  static size_t leave_escaped(void* engine, MHD_Connection* connection, char* text);
  static MHD_Result on_access(void* engine, MHD_Connection* connection, const char* url,
                              const char* method, const char* version, const char* upload,
                              size_t* upload_bytes, void** begun);
  static void on_completed(void* engine, MHD_Connection* connection, void**,
                           MHD_RequestTerminationCode);
  static void on_connection(void* engine, MHD_Connection* connection, void**,
                            MHD_ConnectionNotificationCode what);
  void welcome(MHD_Connection* connection);
  bool find_room(FairShares::Part& place, const Visit& visitor, bool among_newcomers);
  bool show_somebody_out(const Visit& visitor, bool among_newcomers);
  void add_idle(Visit& visit);
  void drop_idle(Visit& visit);
  MHD_Result begin(Visit& visit, MHD_Connection* connection, std::string_view version);
  MHD_Result admit(MHD_Connection* connection, Visit& visit);
  Co<void> await_verdict(MHD_Connection* connection, std::shared_ptr<Exchange> exchange,
                         Co<HttpVerdict> verdict);
  MHD_Result let_in(MHD_Connection* connection, Visit& visit);
  std::optional<HttpReply> find_place(Exchange& exchange, const std::string& party);
  MHD_Result turn_away(MHD_Connection* connection, Visit& visit);
  bool has_had_its_turn(MHD_Connection* connection, const std::shared_ptr<Exchange>& exchange);
  MHD_Result take_body(Exchange& exchange, std::string_view part);
  MHD_Result take_piece(MHD_Connection* connection, Exchange& exchange, std::string_view data);
  Co<Result<std::string>> next_piece(MHD_Connection* connection,
                                     std::shared_ptr<Exchange> exchange);
  MHD_Result answer(MHD_Connection* connection, Visit& visit);
  MHD_Result send_reply(MHD_Connection* connection, Visit& visit);
  MHD_Response* response_of(MHD_Connection* connection, const std::shared_ptr<Exchange>& exchange);
  ssize_t send_part(MHD_Connection* connection, const std::shared_ptr<Exchange>& exchange,
                    char* buffer, size_t bytes_max);
  bool is_served_no_more(const Visit& visit) const;
  int64_t allowed_s(const Visit& visit) const;
  void look_for_slow_ones();
  Co<void> serve(MHD_Connection* connection, std::shared_ptr<Exchange> exchange);
  Co<void> fetch_part(MHD_Connection* connection, std::shared_ptr<Exchange> exchange);
  void resume(MHD_Connection* connection, Exchange& exchange);

  struct PartSource;

  Loop& loop;
  Clock& clock;
  HttpServerOptions options;
  Handler handler;
  // Null when the server is gone: what was posted to the loop looks here first.
  std::shared_ptr<Engine*> self = std::make_shared<Engine*>(this);
  MHD_Daemon* daemon = nullptr;  // owned: stopped in the destructor
  std::string address;
  int port = 0;
  std::optional<FdWatch> watch;
  Clock::TimerId timer = 0;
  int64_t timer_at_ns = 0;
  bool run_posted = false;
  bool listening = true;
  Clock::TimerId slow_look = 0;  // none while nobody is connected
  FairShares connections{options.connections_max};
  FairShares newcomers{newcomers_max};
  FairShares requests{options.connections_max};
  FairShares bodies{options.bodies_bytes_max};
  FairShares uploads{options.uploads_max};
  FairShares answers{options.answers_bytes_max};
  std::list<Visit*> idle;  // in the order in which they became so
  std::unordered_map<MHD_Connection*, Visit> visits;
  // Those that the daemon may take for ready in vain, and that are not set aside: with TLS, who has
  // not begun a first request; and who sends a body in chunks.
  std::unordered_set<MHD_Connection*> suspects;
  TurnShare body_turns{loop, clock, visit_ns_max};
  CoGroup coroutines;  // last: the handler and all else outlives what it runs
};

HttpServer::Engine::Engine(Loop& loop_, Clock& clock_, HttpServerOptions options_, Handler handler_)
    : loop(loop_), clock(clock_), options(std::move(options_)), handler(std::move(handler_)) {}

HttpServer::Engine::~Engine() {
  *self = nullptr;
  if (timer != 0) clock.cancel(timer);
  if (slow_look != 0) clock.cancel(slow_look);
  watch.reset();
  if (daemon == nullptr) return;
  // The daemon does not stop with suspended connections; they resume without a reply, and that
  // closes them.
  for (const auto& [connection, visit] : visits) {
    if (visit.is_suspended()) MHD_resume_connection(connection);
  }
  MHD_stop_daemon(daemon);
}

// Takes over `fd`, also when it fails.
bool HttpServer::Engine::start_daemon(int fd) {
  address = bound_address(fd);
  port = bound_port(fd);
  MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, options.tls_certificate.data()},
                          {MHD_OPTION_HTTPS_MEM_KEY, 0, options.tls_key.data()},
                          {MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(tls_priorities)},
                          {MHD_OPTION_END, 0, nullptr}};
  const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_ITC;
  daemon = MHD_start_daemon(
      is_tls() ? flags | MHD_USE_TLS : flags, 0, nullptr, nullptr, &Engine::on_access, this,
      MHD_OPTION_EXTERNAL_LOGGER, &log_daemon_message, nullptr,    //
      MHD_OPTION_ARRAY, is_tls() ? tls : std::end(tls) - 1,        //
      MHD_OPTION_LISTEN_SOCKET, fd,                                //
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,                        //
      MHD_OPTION_STRICT_FOR_CLIENT, strictness,                    //
      MHD_OPTION_NOTIFY_COMPLETED, &Engine::on_completed, this,    //
      MHD_OPTION_NOTIFY_CONNECTION, &Engine::on_connection, this,  //
      MHD_OPTION_URI_LOG_CALLBACK, &Engine::on_target, this,       //
      MHD_OPTION_UNESCAPE_CALLBACK, &Engine::leave_escaped, this,  //
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, static_cast<size_t>(options.header_bytes_max),
      MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(options.connections_max + leaving_max),                  //
      MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(options.idle_timeout_s),  //
      MHD_OPTION_END);
  if (daemon == nullptr) {
    close(fd);
    return false;
  }
  const int epoll_fd = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  watch.emplace(loop, epoll_fd, [this](bool, bool) { run_daemon(); });
  watch->want(true, false);
  return true;
}

// Lets the daemon work until it has nothing to do before its next event or time-out.
void HttpServer::Engine::run_daemon() {
  const int64_t until_ns = clock.now_ns() + visit_ns_max;
  do {
    MHD_run(daemon);
    MHD_UNSIGNED_LONG_LONG timeout_ms = 0;
    if (MHD_get_timeout(daemon, &timeout_ms) != MHD_YES) return;
    if (timeout_ms > 0) {
      wake_at(clock.now_ns() + static_cast<int64_t>(timeout_ms) * ns_per_ms);
      return;
    }
    look_at_suspects();
  } while (clock.now_ns() < until_ns);
  run_soon();
}

// The daemon (0.9.75) takes a connection for ready as long as its TLS handshake is unfinished, or
// as its buffer is full and the line with a chunk's size has not ended, says that it has no time to
// wait, and tries each in each round: one byte and silence took a core. Who is silent is taken from
// it, after it has had a round to itself with what was there.
void HttpServer::Engine::look_at_suspects() {
  for (auto at = suspects.begin(); at != suspects.end();) {
    MHD_Connection* const connection = *at;
    Visit& visit = visits.at(connection);
    if (visit.is_suspended()) {
      ++at;
      continue;
    }
    auto* const session =
        is_tls() ? static_cast<gnutls_session_t>(
                       MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
                           ->tls_session)
                 : nullptr;
    const bool awaits_room = does_await_room(visit.fd, session);
    const bool was_silent =
        std::exchange(visit.progress.is_silent, has_nothing_to_do(visit.fd, session, awaits_room));
    if (was_silent && visit.progress.is_silent) {
      at = suspects.erase(at);
      set_aside(connection, visit, awaits_room);
      continue;
    }
    if (visit.is_being_read() && is_read_in_vain(visit)) cut_off(connection, visit);
    ++at;
  }
}

// Whether what comes is no body, or not read any more.
bool HttpServer::Engine::is_read_in_vain(Visit& visit) const {
  Progress& last = visit.progress;
  const int64_t bytes = read_bytes(visit.fd);
  const int64_t more = bytes - std::exchange(last.read_bytes, bytes);
  const int64_t body_bytes = visit.exchange->body_bytes;
  const bool has_come_on = body_bytes != std::exchange(last.body_bytes, body_bytes);
  last.framing_bytes = has_come_on ? 0 : last.framing_bytes + more;
  last.unread_rounds = more != 0 || last.is_silent ? 0 : last.unread_rounds + 1;
  const int64_t ahead_bytes = is_tls() ? tls_record_bytes_max : 0;
  return last.framing_bytes > framing_bytes_max + ahead_bytes ||
         last.unread_rounds > unread_rounds_max;
}

// Also one that the daemon does not read: it closes whose socket reports an error. It has forgotten
// to watch one that was suspended and is not ready to be read.
void HttpServer::Engine::cut_off(MHD_Connection* connection, const Visit& visit) {
  shutdown(visit.fd, SHUT_RDWR);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = connection;  // as the daemon does
  epoll_ctl(MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, EPOLL_CTL_ADD,
            visit.fd, &event);
}

void HttpServer::Engine::set_aside(MHD_Connection* connection, Visit& visit, bool awaits_room) {
  MHD_suspend_connection(connection);
  visit.set_aside.emplace(loop, visit.fd, [this, connection, &visit](bool, bool) {
    visit.set_aside.reset();
    visit.progress.is_silent = false;
    suspects.insert(connection);
    MHD_resume_connection(connection);
    run_soon();
  });
  visit.set_aside->want(true, awaits_room);
}

void HttpServer::Engine::run_soon() {
  if (std::exchange(run_posted, true)) return;
  loop.post([alive = self] {
    Engine* engine = *alive;
    if (engine == nullptr) return;
    engine->run_posted = false;
    engine->run_daemon();
  });
}

// An earlier timer stays: the daemon then says anew how long it can wait.
void HttpServer::Engine::wake_at(int64_t at_ns) {
  if (timer != 0 && timer_at_ns <= at_ns) return;
  if (timer != 0) clock.cancel(timer);
  timer_at_ns = at_ns;
  timer = clock.call_at(at_ns, [this] {
    timer = 0;
    run_daemon();
  });
}

// The daemon calls this with a request's path and query before it reads either. A
// refused target loses its arguments, in the daemon's buffer: each would take memory that there is
// not.
void* HttpServer::Engine::on_target(void* engine, const char* target, MHD_Connection* connection) {
  auto& self = *static_cast<Engine*>(engine);
  if (target == nullptr) return nullptr;
  Visit& visit = self.visits.at(connection);
  const auto bytes_max = static_cast<size_t>(self.options.target_bytes_max());
  visit.newcomer.reset();
  self.suspects.erase(connection);
  visit.target_problem = target_problem(target, bytes_max);
  const char* const query = std::strchr(target, '?');
  if (visit.target_problem && query != nullptr) const_cast<char*>(query)[1] = '\0';
  return nullptr;
}

// The daemon's own decoding ends a path at %00 and tells %2F from a slash no more. It asks for the
// path's last: if it has given up by then, for want of memory, it would do nothing more.
size_t HttpServer::Engine::leave_escaped(void* engine, MHD_Connection* connection, char* text) {
  if (MHD_get_connection_info(connection, MHD_CONNECTION_INFO_HTTP_STATUS) != nullptr) {
    shutdown(static_cast<Engine*>(engine)->visits.at(connection).fd, SHUT_RDWR);
  }
  return std::strlen(text);
}

// The daemon calls this for a request when its headers are there, for each part of its body, when
// it is whole, and again after it was resumed.
MHD_Result HttpServer::Engine::on_access(void* engine, MHD_Connection* connection, const char* url,
                                         const char* method, const char* version,
                                         const char* upload, size_t* upload_bytes, void** begun) {
  auto& self = *static_cast<Engine*>(engine);
  Visit& visit = self.visits.at(connection);
  if (*begun == nullptr) {
    visit.exchange = std::make_shared<Exchange>();
    visit.exchange->incoming.method = method;
    visit.exchange->is_head = visit.exchange->incoming.method == "HEAD";
    visit.exchange->incoming.path = url;
    *begun = visit.exchange.get();
    return self.begin(visit, connection, version);
  }
  if (!visit.exchange->is_let_in) {
    if (visit.exchange->waiting) return MHD_NO;  // resumed by the destructor
    return self.let_in(connection, visit);
  }
  if (*upload_bytes > 0) {
    if (self.has_had_its_turn(connection, visit.exchange)) return MHD_YES;
    const std::string_view part(upload, std::exchange(*upload_bytes, 0));
    visit.exchange->quantum_used += static_cast<int64_t>(part.size()) + piece_cost_bytes;
    return visit.exchange->in_pieces && !visit.exchange->reply
               ? self.take_piece(connection, *visit.exchange, part)
               : self.take_body(*visit.exchange, part);
  }
  return self.answer(connection, visit);
}

void HttpServer::Engine::on_completed(void* engine, MHD_Connection* connection, void**,
                                      MHD_RequestTerminationCode) {
  auto& self = *static_cast<Engine*>(engine);
  Visit& visit = self.visits.at(connection);
  if (visit.exchange) {
    visit.exchange->gone = true;
    visit.exchange->arrived.raise();
  }
  visit.exchange.reset();
  visit.since_ns = self.clock.now_ns();
  self.add_idle(visit);
}

void HttpServer::Engine::on_connection(void* engine, MHD_Connection* connection, void**,
                                       MHD_ConnectionNotificationCode what) {
  auto& self = *static_cast<Engine*>(engine);
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    self.welcome(connection);
  } else {
    self.drop_idle(self.visits.at(connection));
    self.suspects.erase(connection);
    self.visits.erase(connection);
  }
}

void HttpServer::Engine::welcome(MHD_Connection* connection) {
  Visit& visit = visits[connection];
  visit.fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  visit.since_ns = clock.now_ns();
  visit.address = address_party(
      *MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
  visit.place = std::make_unique<FairShares::Part>(connections, std::string(), visit.address);
  bool has_room = find_room(*visit.place, visit, false);
  if (has_room && is_tls()) {
    visit.newcomer = std::make_unique<FairShares::Part>(newcomers, std::string(), visit.address);
    has_room = find_room(*visit.newcomer, visit, true);
  }
  if (!has_room) shutdown(visit.fd, SHUT_RDWR);
  add_idle(visit);
  if (is_tls()) suspects.insert(connection);
  if (slow_look == 0) look_for_slow_ones();
}

bool HttpServer::Engine::find_room(FairShares::Part& place, const Visit& visitor,
                                   bool among_newcomers) {
  while (!place.grow(1)) {
    if (!show_somebody_out(visitor, among_newcomers)) return false;
  }
  return true;
}

// Makes room for `visitor`: of his own address if he has others that are idle. False: nobody is.
bool HttpServer::Engine::show_somebody_out(const Visit& visitor, bool among_newcomers) {
  const auto may_go = [&](const Visit* visit) { return !among_newcomers || visit->newcomer; };
  auto who = std::find_if(idle.begin(), idle.end(), [&](const Visit* visit) {
    return may_go(visit) && visit->address == visitor.address;
  });
  if (who == idle.end()) who = std::find_if(idle.begin(), idle.end(), may_go);
  if (who == idle.end()) return false;
  Visit& leaving = **who;
  shutdown(leaving.fd, SHUT_RDWR);
  leaving.place.reset();
  leaving.newcomer.reset();
  drop_idle(leaving);
  return true;
}

void HttpServer::Engine::add_idle(Visit& visit) {
  if (!visit.idle && visit.place) visit.idle = idle.insert(idle.end(), &visit);
}

void HttpServer::Engine::drop_idle(Visit& visit) {
  if (visit.idle) idle.erase(*visit.idle);
  visit.idle.reset();
}

// An answer to the headers alone makes the daemon read nothing further and close.
MHD_Result HttpServer::Engine::begin(Visit& visit, MHD_Connection* connection,
                                     std::string_view version) {
  visit.since_ns = clock.now_ns();
  HttpIncoming& incoming = visit.exchange->incoming;
  incoming.arrived_ns = visit.since_ns;
  incoming.query = fields_of(connection, MHD_GET_ARGUMENT_KIND);
  incoming.headers = fields_of(connection, MHD_HEADER_KIND);
  std::optional<RequestProblem> problem = std::exchange(visit.target_problem, std::nullopt);
  if (!problem) problem = request_problem(incoming.method, version, incoming.headers);
  if (!problem && !decode(incoming.query)) problem = {400, "a malformed %XX in the query"};
  if (problem) {
    visit.exchange->close = true;
    visit.exchange->reply = refusal(problem->status, "invalid_request", problem->message);
    return send_reply(connection, visit);
  }
  return admit(connection, visit);
}

// Nothing of the body is read before it is known whom it is from.
MHD_Result HttpServer::Engine::admit(MHD_Connection* connection, Visit& visit) {
  const std::shared_ptr<Exchange>& exchange = visit.exchange;
  if (options.admit) {
    HttpAdmission admission = options.admit(exchange->incoming);
    if (auto* pending = std::get_if<Co<HttpVerdict>>(&admission)) {
      exchange->waiting = true;
      MHD_suspend_connection(connection);
      coroutines.spawn(await_verdict(connection, exchange, std::move(*pending)));
      return MHD_YES;
    }
    exchange->take(std::get<HttpVerdict>(std::move(admission)));
  }
  return let_in(connection, visit);
}

Co<void> HttpServer::Engine::await_verdict(MHD_Connection* connection,
                                           std::shared_ptr<Exchange> exchange,
                                           Co<HttpVerdict> verdict) {
  exchange->take(co_await std::move(verdict));
  resume(connection, *exchange);
}

// A request whose headers are there, and of which it is known whom it is from.
MHD_Result HttpServer::Engine::let_in(MHD_Connection* connection, Visit& visit) {
  Exchange& exchange = *visit.exchange;
  HttpIncoming& incoming = exchange.incoming;
  exchange.is_let_in = true;
  exchange.in_pieces =
      options.is_read_in_pieces && options.is_read_in_pieces(incoming.method, incoming.path);
  if (!incoming.header("transfer-encoding").empty()) {
    suspects.insert(connection);
    visit.progress = {};
    visit.progress.read_bytes = read_bytes(visit.fd);
  }
  if (!exchange.reply) exchange.reply = find_place(exchange, visit.address);
  if (exchange.reply) return turn_away(connection, visit);
  drop_idle(visit);
  exchange.body_bytes_max = dropped_body_factor * (exchange.in_pieces ? options.pieces_bytes_max
                                                                      : options.body_bytes_max);
  if (exchange.in_pieces) {
    incoming.next_piece = [this, connection, exchange = visit.exchange] {
      return next_piece(connection, exchange);
    };
    coroutines.spawn(serve(connection, visit.exchange));
  }
  return MHD_YES;
}

// An answer: there is none.
std::optional<HttpReply> HttpServer::Engine::find_place(Exchange& exchange,
                                                        const std::string& party) {
  const std::string& client = exchange.incoming.client;
  exchange.place.emplace(requests, client, party);
  if (!exchange.place->grow(1)) return busy_reply("requests");
  // All without a key at an address are as one key: metrics that they leave unread leave room for
  // the keys there.
  exchange.answer_part.emplace(answers, client.empty() ? "at " + party : client, party);
  if (!exchange.answer_part->grow(answer_bytes_min)) return busy_reply("bytes of answers");
  if (exchange.in_pieces) {
    exchange.upload.emplace(uploads, client, party);
    if (!exchange.upload->grow(1)) return busy_reply("uploads");
  }
  exchange.body_part = std::make_shared<FairShares::Part>(bodies, client, party);
  exchange.incoming.body_share = exchange.body_part;
  return std::nullopt;
}

MHD_Result HttpServer::Engine::turn_away(MHD_Connection* connection, Visit& visit) {
  Exchange& exchange = *visit.exchange;
  exchange.in_pieces = false;
  exchange.body_bytes_max = unwanted_body_bytes_max;
  if (is_body_short(exchange.incoming)) return MHD_YES;
  exchange.close = true;
  return send_reply(connection, visit);
}

// Whether its body has come on by as much as it may, and now waits: suspended, with what it has
// sent. The daemon itself goes on with all that has come, of as many as send.
bool HttpServer::Engine::has_had_its_turn(MHD_Connection* connection,
                                          const std::shared_ptr<Exchange>& exchange) {
  if (exchange->waiting || exchange->quantum_used < quantum_bytes) return false;
  exchange->quantum_used = 0;
  if (body_turns.has_room()) return false;
  exchange->waits_for_turn = true;
  MHD_suspend_connection(connection);
  body_turns.run(exchange->client, [this, connection, exchange] {
    exchange->waits_for_turn = false;
    MHD_resume_connection(connection);
    MHD_run(daemon);
    run_soon();
  });
  return true;
}

// The body of a refused request is read and dropped: only then does the client read the answer.
MHD_Result HttpServer::Engine::take_body(Exchange& exchange, std::string_view part) {
  const auto bytes = static_cast<int64_t>(part.size());
  exchange.body_bytes += bytes;
  if (!exchange.reply && exchange.body_bytes > options.body_bytes_max) {
    exchange.reply = too_large_reply();
  } else if (!exchange.reply && !exchange.find_body_room(bytes)) {
    exchange.reply = busy_reply("bodies");
  }
  if (exchange.reply) {
    exchange.incoming.body = std::string();  // gives the memory back
    if (exchange.body_part) exchange.body_part->give_back();
    return exchange.body_bytes <= exchange.body_bytes_max ? MHD_YES : MHD_NO;
  }
  exchange.incoming.body.append(part);
  return MHD_YES;
}

// Takes all of `data`: what the daemon keeps while it reads nothing hides from it that the client
// has left. Of a chunked body it goes on with what it has read, suspended or not.
MHD_Result HttpServer::Engine::take_piece(MHD_Connection* connection, Exchange& exchange,
                                          std::string_view data) {
  exchange.body_bytes += static_cast<int64_t>(data.size());
  if (exchange.body_bytes > options.pieces_bytes_max) {
    exchange.reply = too_large_reply();
    exchange.gone = true;
  } else {
    exchange.piece.append(data);
    if (!exchange.waiting && exchange.piece.size() >= piece_bytes_max) {
      exchange.waiting = true;
      MHD_suspend_connection(connection);
    }
  }
  exchange.arrived.raise();
  return MHD_YES;
}

Co<Result<std::string>> HttpServer::Engine::next_piece(MHD_Connection* connection,
                                                       std::shared_ptr<Exchange> exchange) {
  while (exchange->piece.empty() && !exchange->body_ended && !exchange->gone) {
    co_await exchange->arrived.wait();
  }
  if (exchange->gone) {
    co_return tl::unexpected(Error{Error::Action::refuse, {}, "the client has left"});
  }
  std::string piece = std::exchange(exchange->piece, std::string());
  if (exchange->waiting && !exchange->body_ended) resume(connection, *exchange);
  co_return piece;
}

MHD_Result HttpServer::Engine::answer(MHD_Connection* connection, Visit& visit) {
  const std::shared_ptr<Exchange>& exchange = visit.exchange;
  if (exchange->reply) return exchange->reply->drop ? MHD_NO : send_reply(connection, visit);
  if (exchange->waiting) return MHD_NO;  // resumed by the destructor
  exchange->waiting = true;
  MHD_suspend_connection(connection);
  if (exchange->in_pieces) {
    exchange->body_ended = true;
    exchange->arrived.raise();
  } else {
    coroutines.spawn(serve(connection, exchange));
  }
  return MHD_YES;
}

Co<void> HttpServer::Engine::serve(MHD_Connection* connection, std::shared_ptr<Exchange> exchange) {
  const std::string& method = exchange->incoming.method;
  const bool only_reads = method == "GET" || method == "HEAD";
  exchange->incoming.is_awaited = [this, connection, exchange] {
    if (exchange->gone) return false;
    const Visit& visit = visits.at(connection);
    return !has_hung_up(visit.fd) && !is_served_no_more(visit);
  };
  HttpReply reply = co_await handler(std::move(exchange->incoming));
  exchange->incoming = HttpIncoming();  // what it holds may hold the exchange
  exchange->piece = std::string();      // nobody will take it
  if (!exchange->reply) exchange->reply = std::move(reply);
  if (!exchange->find_room()) {
    exchange->reply = unsent_reply(only_reads, std::move(exchange->reply->headers));
  }
  if (exchange->waiting) resume(connection, *exchange);  // else its body is still coming
}

Co<void> HttpServer::Engine::fetch_part(MHD_Connection* connection,
                                        std::shared_ptr<Exchange> exchange) {
  Result<std::string> part = co_await exchange->reply->more();
  if (part) exchange->reply->body = std::move(*part);
  exchange->cut_off = !part || !exchange->find_room();
  if (exchange->cut_off) exchange->reply->body = std::string();
  exchange->part_sent = 0;
  exchange->ended = exchange->reply->body.empty();
  visits.at(connection).since_ns = clock.now_ns();
  resume(connection, *exchange);
}

// A resumed connection does not show in the daemon's epoll: it must be run.
void HttpServer::Engine::resume(MHD_Connection* connection, Exchange& exchange) {
  exchange.waiting = false;
  MHD_resume_connection(connection);
  run_soon();
}

// The source that the daemon asks for more parts.
struct HttpServer::Engine::PartSource {
  Engine& engine;
  MHD_Connection* connection;
  std::shared_ptr<Exchange> exchange;
};

// The body is not copied: it stays in the Exchange until the daemon says that the request is
// completed.
MHD_Response* HttpServer::Engine::response_of(MHD_Connection* connection,
                                              const std::shared_ptr<Exchange>& exchange) {
  const HttpReply& reply = *exchange->reply;
  if (!reply.more) {
    return MHD_create_response_from_buffer(reply.body.size(), const_cast<char*>(reply.body.data()),
                                           MHD_RESPMEM_PERSISTENT);
  }
  const auto read = [](void* source, uint64_t, char* buffer, size_t bytes_max) {
    auto& from = *static_cast<PartSource*>(source);
    return from.engine.send_part(from.connection, from.exchange, buffer, bytes_max);
  };
  const auto free = [](void* source) { delete static_cast<PartSource*>(source); };
  auto source = std::make_unique<PartSource>(PartSource{*this, connection, exchange});
  MHD_Response* response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, part_bytes_max, read, source.get(), free);
  if (response != nullptr) static_cast<void>(source.release());  // it is the response's now
  return response;
}

// The daemon calls this when the client can take more.
ssize_t HttpServer::Engine::send_part(MHD_Connection* connection,
                                      const std::shared_ptr<Exchange>& exchange, char* buffer,
                                      size_t bytes_max) {
  const std::string& part = exchange->reply->body;
  if (exchange->part_sent < part.size()) {
    const size_t bytes = part.copy(buffer, bytes_max, exchange->part_sent);
    exchange->part_sent += bytes;
    return static_cast<ssize_t>(bytes);
  }
  if (exchange->cut_off) return MHD_CONTENT_READER_END_WITH_ERROR;
  if (exchange->ended) return MHD_CONTENT_READER_END_OF_STREAM;
  if (exchange->waiting) return MHD_CONTENT_READER_END_WITH_ERROR;  // resumed by the destructor
  exchange->reply->body = std::string();                            // gives the memory back
  exchange->answer_part->give_back(answer_bytes_min);
  exchange->waiting = true;
  MHD_suspend_connection(connection);
  coroutines.spawn(fetch_part(connection, exchange));
  return 0;
}

MHD_Result HttpServer::Engine::send_reply(MHD_Connection* connection, Visit& visit) {
  const HttpReply& reply = *visit.exchange->reply;
  visit.exchange->answered = true;
  suspects.erase(connection);
  visit.since_ns = clock.now_ns();
  MHD_Response* response = response_of(connection, visit.exchange);
  if (response == nullptr) return MHD_NO;
  if (!reply.content_type.empty()) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.content_type.c_str());
  }
  // A browser must not take a file's or a model's text for a page.
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : reply.headers) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
  }
  // Of an answer in parts the daemon sends the end of its body to HEAD, too, which asked for none.
  const bool has_odd_end = reply.more && visit.exchange->is_head;
  if (visit.exchange->close || !listening || has_odd_end) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  }
  const MHD_Result queued =
      MHD_queue_response(connection, static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);  // our reference; the connection holds its own
  return queued;
}

bool HttpServer::Engine::is_served_no_more(const Visit& visit) const {
  return options.is_still_served && visit.exchange && !visit.exchange->client.empty() &&
         !options.is_still_served(visit.exchange->client);
}

// For what it does.
int64_t HttpServer::Engine::allowed_s(const Visit& visit) const {
  if (visit.newcomer) return std::min(newcomer_timeout_s, options.request_timeout_s);
  return options.request_timeout_s + visit.bytes() / bytes_per_s_min;
}

// The daemon's own time-out begins anew with each byte, so that one a minute would hold a
// connection for ever. A socket that is shut down looks to the daemon as if its client had left.
void HttpServer::Engine::look_for_slow_ones() {
  const int64_t now_ns = clock.now_ns();
  for (const auto& [connection, visit] : visits) {
    if (is_served_no_more(visit)) {
      shutdown(visit.fd, SHUT_RDWR);
      continue;
    }
    if (visit.is_with_handler()) continue;
    if (now_ns - visit.since_ns > allowed_s(visit) * ns_per_s ||
        (visit.is_being_read() && has_left(visit.fd))) {
      shutdown(visit.fd, SHUT_RDWR);
    }
  }
  slow_look = 0;
  if (visits.empty()) return;
  slow_look = clock.call_at(now_ns + slow_look_ns, [this] { look_for_slow_ones(); });
}

HttpServerOptions HttpServerOptions::without_bodies(std::string address,
                                                    std::string_view address_flag) {
  HttpServerOptions options;
  options.address = std::move(address);
  options.address_flag = address_flag;
  options.body_bytes_max = 1024;
  options.connections_max = 100;
  return options;
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(Loop& loop, Clock& clock,
                                                      HttpServerOptions options, Handler handler) {
  const Result<int> fd = listen_on(options.address, options.address_flag);
  if (!fd) return tl::unexpected(fd.error());
  const int64_t files = Loop::open_files_max();
  if (files - files_of_others < options.connections_max) {
    options.connections_max =
        static_cast<int>(std::max(connections_least, files - files_of_others));
    spdlog::warn("{} has at most {} connections: the system allows {} open files (ulimit -Hn)",
                 options.address_flag, options.connections_max, files);
  }
  auto engine = std::make_unique<Engine>(loop, clock, std::move(options), std::move(handler));
  if (!engine->start_daemon(*fd)) {
    return tl::unexpected(Error{Error::Action::refuse,
                                {},
                                engine->is_tls() ? "the certificate and its key are not taken"
                                                 : "libmicrohttpd does not start"});
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(engine)));
}

HttpServer::HttpServer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return engine_->port;
}

std::string HttpServer::address() const {
  return engine_->address;
}

void HttpServer::stop_listening() {
  if (!std::exchange(engine_->listening, false)) return;
  const MHD_socket fd = MHD_quiesce_daemon(engine_->daemon);
  if (fd != MHD_INVALID_SOCKET) close(fd);
}

size_t HttpServer::open_requests() const {
  return static_cast<size_t>(
      std::count_if(engine_->visits.begin(), engine_->visits.end(),
                    [](const auto& entry) { return entry.second.exchange != nullptr; }));
}

}  // namespace sluice
