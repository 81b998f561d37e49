// The inside of HttpServer: libmicrohttpd run by the loop, its connections and their requests. What
// it does stands in three files more: http_server_visits.cc has what it does with connections,
// http_server_requests.cc how a request comes in, http_server_replies.cc how its answer goes out.
//
// Thread rule: loop thread only.
#pragma once

#include <microhttpd.h>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "runtime/fair_shares.h"
#include "runtime/fd_watch.h"
#include "runtime/http_server.h"
#include "runtime/request_problem.h"
#include "runtime/signal.h"
#include "runtime/turn_share.h"

namespace sluice {

// So long a visit of the daemon lasts before the rest of the loop has its turn, and so long bodies
// are read in a turn: an answer takes some ten to twenty turns.
inline constexpr int64_t visit_ns_max = ns_per_ms;
// With TLS, connections that have not begun a request yet: those that are set aside are
// walked past at each answer, and each holds some 18 KiB of its session.
inline constexpr int newcomers_max = 512;
// So much of an answer has its place when its request is let in: what has been done is then told,
// however full its share is by now.
inline constexpr int64_t answer_bytes_min = int64_t{4} * 1024;

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
  // Takes room for so much more of the body. False: there is none.
  bool find_body_room(int64_t bytes);
  // Takes the room for what is to be sent of `reply` now. False: there is none.
  bool find_room();
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
  // From now on the daemon may take it for ready in vain.
  void suspect(MHD_Connection* connection, Visit& visit);
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
  MHD_Result take_upload(MHD_Connection* connection, Exchange& exchange, std::string_view part);
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

}  // namespace sluice
