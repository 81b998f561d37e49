#include "runtime/http_server.h"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/http_server_engine.h"
#include "runtime/listen_socket.h"

namespace sluice {
namespace {

// At its own limit the daemon accepts nobody until something else happens: those that were shown
// out and that it has not closed yet are not to bring it there. It accepts some ten at a time.
constexpr int leaving_max = 64;
// Of the files that a process may have open so many are for others than connections: those that are
// shown out, the database's, another listener. Without one left nobody is accepted, in a loop.
constexpr int64_t files_of_others = 256;
constexpr int64_t connections_least = 16;
// Of the daemon (D-416): 1.0 else takes folded lines, of which a proxy may make something else, and
// a bare LF for a line's end. 1.0.1 leaves one behind a chunk's extension: what follows it,
// trailers that the proxy passed on, was another request.
constexpr int strictness = 1;
// Keys of each connection's own, which no later thief of the certificate's learns, on curves alone
// (D-404), and ciphers that authenticate what they encrypt.
constexpr const char* tls_priorities =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-GROUP-DH-ALL:"
    "-MAC-ALL:+AEAD";

void log_daemon_message(void*, const char*, va_list) {
  // Its messages quote what clients sent; the number of them is what may help.
  spdlog::debug("http server: the daemon reports a bad request or a network error");
}

}  // namespace

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
    return self.take_upload(connection, *visit.exchange, part);
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
