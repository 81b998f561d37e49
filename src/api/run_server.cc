#include "api/run_server.h"

#include <csignal>
#include <memory>
#include <pqxx/pqxx>

#include "api/api.h"
#include "api/routes.h"
#include "command_error.h"
#include "db/migrate.h"
#include "runtime/http_server.h"

namespace sluice {
namespace {

constexpr int64_t drain_look_ns = 20 * ns_per_ms;

// What lives as long as the loop runs, in the order of making; gone in the reverse order.
struct Process {
  explicit Process(const RunServerOptions& options_)
      : options(options_), api(loop, clock, options.api) {}

  void start() {
    HttpServerOptions http;
    http.address = options.listen;
    http.tls_certificate = options.tls_certificate;
    http.tls_key = options.tls_key;
    http.is_read_in_pieces = is_read_in_pieces;
    Result<std::unique_ptr<HttpServer>> started = HttpServer::start(
        loop, clock, http,
        [this](HttpIncoming incoming) { return api.answer(std::move(incoming)); });
    if (!started) throw CommandError(ExitCode::bad_configuration, started.error().message);
    server = std::move(*started);
    for (const int signum : {SIGTERM, SIGINT}) {
      loop.on_signal(signum, [this, signum] { on_signal(signum); });
    }
  }

  void on_signal(int signum) {
    if (++signals == 1) {
      api.drain();
      server->stop_listening();
      tasks.spawn(drain());
    } else {
      exit_code = signum == SIGINT ? ExitCode::interrupted : ExitCode::terminated;
      loop.stop();
    }
  }

  Task<void> drain() {
    const int64_t deadline_ns = clock.now_ns() + options.drain_timeout_ms * ns_per_ms;
    while (server->open_requests() > 0 && clock.now_ns() < deadline_ns) {
      co_await sleep_until(clock, clock.now_ns() + drain_look_ns);
    }
    loop.stop();
  }

  const RunServerOptions& options;
  Loop loop;
  SystemClock clock{loop};
  Api api;
  std::unique_ptr<HttpServer> server;
  TaskGroup tasks;
  ExitCode exit_code = ExitCode::ok;
  int signals = 0;
};

}  // namespace

ExitCode run_server(const RunServerOptions& options) {
  check_schema(*connect(options.api.database_url), embedded_sql());
  const auto process = std::make_unique<Process>(options);
  process->start();
  options.on_started(process->server->address());
  process->loop.run();
  return process->exit_code;
}

}  // namespace sluice
