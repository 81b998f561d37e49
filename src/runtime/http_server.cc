#include "runtime/http_server.h"

#include <microhttpd.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime/fd_watch.h"
#include "runtime/listen_socket.h"

namespace sluice {
namespace {

// Of a body over its limit so much is read and dropped, so that an honest sender gets to read its
// 413.
constexpr int64_t dropped_body_factor = 4;
// One visit of the daemon runs at most so many rounds before the rest of the loop has its turn.
constexpr int rounds_max = 64;

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

HttpReply too_large_reply() {
  return {413, "application/json", R"({"error":"body too large"})", {}};
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
  int64_t body_bytes = 0;  // arrived, also those that were dropped
  bool waiting = false;    // its connection is suspended
  std::optional<HttpReply> reply;
};

struct HttpServer::Engine {
  Engine(Loop& loop_, Clock& clock_, HttpServerOptions options_, Handler handler_);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  bool start_daemon(int fd);
  void run_daemon();
  void run_soon();
  void wake_at(int64_t at_ns);

  static MHD_Result on_access(void* engine, MHD_Connection* connection, const char* url,
                              const char* method, const char*, const char* upload,
                              size_t* upload_bytes, void** exchange);
  static void on_completed(void* engine, MHD_Connection* connection, void**,
                           MHD_RequestTerminationCode);
  Exchange& begin(MHD_Connection* connection, const char* url, const char* method);
  MHD_Result take_body(Exchange& exchange, std::string_view part) const;
  MHD_Result answer(MHD_Connection* connection, const std::shared_ptr<Exchange>& exchange);
  static MHD_Result send_reply(MHD_Connection* connection, const HttpReply& reply);
  Task<void> serve(MHD_Connection* connection, std::shared_ptr<Exchange> exchange);

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
  // By connection: it has one request at a time.
  std::unordered_map<MHD_Connection*, std::shared_ptr<Exchange>> exchanges;
  TaskGroup tasks;  // last: the handler and all else outlives what it runs
};

HttpServer::Engine::Engine(Loop& loop_, Clock& clock_, HttpServerOptions options_, Handler handler_)
    : loop(loop_), clock(clock_), options(std::move(options_)), handler(std::move(handler_)) {}

HttpServer::Engine::~Engine() {
  *self = nullptr;
  if (timer != 0) clock.cancel(timer);
  watch.reset();
  if (daemon == nullptr) return;
  // The daemon does not stop with suspended connections; they resume without a reply, and that
  // closes them.
  for (const auto& [connection, exchange] : exchanges) {
    if (exchange->waiting && !exchange->reply) MHD_resume_connection(connection);
  }
  MHD_stop_daemon(daemon);
}

// Takes over `fd`, also when it fails.
bool HttpServer::Engine::start_daemon(int fd) {
  address = bound_address(fd);
  port = bound_port(fd);
  daemon = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, nullptr, nullptr,
      &Engine::on_access, this,                                                      //
      MHD_OPTION_EXTERNAL_LOGGER, &log_daemon_message, nullptr,                      //
      MHD_OPTION_LISTEN_SOCKET, fd,                                                  //
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,                                          //
      MHD_OPTION_NOTIFY_COMPLETED, &Engine::on_completed, this,                      //
      MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(options.connections_max),   //
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
  for (int round = 0; round < rounds_max; ++round) {
    MHD_run(daemon);
    MHD_UNSIGNED_LONG_LONG timeout_ms = 0;
    if (MHD_get_timeout(daemon, &timeout_ms) != MHD_YES) return;
    if (timeout_ms > 0) {
      wake_at(clock.now_ns() + static_cast<int64_t>(timeout_ms) * ns_per_ms);
      return;
    }
  }
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

// The daemon calls this for a request when its headers are there, for each part of its body, when
// it is whole, and again after it was resumed.
MHD_Result HttpServer::Engine::on_access(void* engine, MHD_Connection* connection, const char* url,
                                         const char* method, const char*, const char* upload,
                                         size_t* upload_bytes, void** exchange) {
  auto& self = *static_cast<Engine*>(engine);
  if (*exchange == nullptr) {
    *exchange = &self.begin(connection, url, method);
    return MHD_YES;
  }
  const std::shared_ptr<Exchange> current = self.exchanges.at(connection);
  if (*upload_bytes > 0) {
    const std::string_view part(upload, std::exchange(*upload_bytes, 0));
    return self.take_body(*current, part);
  }
  return self.answer(connection, current);
}

void HttpServer::Engine::on_completed(void* engine, MHD_Connection* connection, void**,
                                      MHD_RequestTerminationCode) {
  static_cast<Engine*>(engine)->exchanges.erase(connection);
}

Exchange& HttpServer::Engine::begin(MHD_Connection* connection, const char* url,
                                    const char* method) {
  auto exchange = std::make_shared<Exchange>();
  HttpIncoming& incoming = exchange->incoming;
  incoming.arrived_ns = clock.now_ns();
  incoming.method = method;
  incoming.path = url;
  incoming.query = fields_of(connection, MHD_GET_ARGUMENT_KIND);
  incoming.headers = fields_of(connection, MHD_HEADER_KIND);
  Exchange& begun = *exchange;
  exchanges.insert_or_assign(connection, std::move(exchange));
  return begun;
}

MHD_Result HttpServer::Engine::take_body(Exchange& exchange, std::string_view part) const {
  exchange.body_bytes += static_cast<int64_t>(part.size());
  std::string& body = exchange.incoming.body;
  if (exchange.body_bytes <= options.body_bytes_max) {
    body.append(part);
    return MHD_YES;
  }
  body = std::string();  // gives the memory back
  return exchange.body_bytes <= dropped_body_factor * options.body_bytes_max ? MHD_YES : MHD_NO;
}

MHD_Result HttpServer::Engine::answer(MHD_Connection* connection,
                                      const std::shared_ptr<Exchange>& exchange) {
  if (!exchange->reply && exchange->body_bytes > options.body_bytes_max) {
    exchange->reply = too_large_reply();
  }
  if (exchange->reply) {
    return exchange->reply->drop ? MHD_NO : send_reply(connection, *exchange->reply);
  }
  if (exchange->waiting) return MHD_NO;  // resumed by the destructor
  exchange->waiting = true;
  MHD_suspend_connection(connection);
  tasks.spawn(serve(connection, exchange));
  return MHD_YES;
}

// A resumed connection does not show in the daemon's epoll: it must be run.
Task<void> HttpServer::Engine::serve(MHD_Connection* connection,
                                     std::shared_ptr<Exchange> exchange) {
  exchange->reply = co_await handler(std::move(exchange->incoming));
  MHD_resume_connection(connection);
  run_soon();
}

// The body is not copied: it stays in the Exchange until the daemon says that the request is
// completed.
MHD_Result HttpServer::Engine::send_reply(MHD_Connection* connection, const HttpReply& reply) {
  MHD_Response* response = MHD_create_response_from_buffer(
      reply.body.size(), const_cast<char*>(reply.body.data()), MHD_RESPMEM_PERSISTENT);
  if (response == nullptr) return MHD_NO;
  if (!reply.content_type.empty()) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.content_type.c_str());
  }
  for (const auto& [name, value] : reply.headers) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
  }
  const MHD_Result queued =
      MHD_queue_response(connection, static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);  // our reference; the connection holds its own
  return queued;
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(Loop& loop, Clock& clock,
                                                      HttpServerOptions options, Handler handler) {
  const Result<int> fd = listen_on(options.address);
  if (!fd) return tl::unexpected(fd.error());
  auto engine = std::make_unique<Engine>(loop, clock, std::move(options), std::move(handler));
  if (!engine->start_daemon(*fd)) {
    return tl::unexpected(Error{Error::Action::bug, {}, "libmicrohttpd does not start"});
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

}  // namespace sluice
