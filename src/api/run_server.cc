#include "api/run_server.h"

#include <memory>
#include <optional>

#include "api/api.h"
#include "api/routes.h"
#include "command_error.h"
#include "db/database_url.h"
#include "db/migrate.h"
#include "runtime/http_server.h"
#include "runtime/stop_signals.h"
#include "runtime/wire_http_client.h"
#include "trace/span_exporter.h"

namespace sluice {
namespace {

constexpr int64_t drain_look_ns = 20 * ns_per_ms;

// The parts that live as long as the loop runs, made in this order and destroyed in reverse.
struct Process {
  explicit Process(const RunServerOptions& options_)
      : options(options_),
        spans(SpanExporter::of_environment("sluice-serve", clock, http,
                                           [this](size_t exported, size_t dropped) {
                                             api.metrics().note_spans(exported, dropped);
                                           })),
        standby(standby_of(options)),
        api(loop, clock, servers, options.api, spans.get(), standby ? &*standby : nullptr) {}

  std::optional<PgServers> standby_of(const RunServerOptions& options_) {
    if (options_.read_url.empty()) return std::nullopt;
    return std::optional<PgServers>(std::in_place, clock, resolver,
                                    standby_conninfo_of(options_.read_url),
                                    "the standby of --read-url");
  }

  void start() {
    HttpServerOptions http_options = api.server_options(options.listen);
    http_options.tls_certificate = options.tls_certificate;
    http_options.tls_key = options.tls_key;
    server = listen(std::move(http_options),
                    [this](HttpIncoming incoming) { return api.answer(std::move(incoming)); });
    if (!options.health_listen.empty()) {
      health = listen(api.monitor_options(options.health_listen), [this](HttpIncoming incoming) {
        return api.answer_monitor(std::move(incoming));
      });
    }
    if (spans) api.metrics().note_spans(0, 0);  // the counters are there from the beginning
    on_stop_signals(
        loop, [this] { begin_drain(); },
        [this](ExitCode code) {
          exit_code = code;
          loop.stop();
        });
  }

  std::unique_ptr<HttpServer> listen(HttpServerOptions http_options, HttpServer::Handler handler) {
    Result<std::unique_ptr<HttpServer>> started =
        HttpServer::start(loop, clock, std::move(http_options), std::move(handler));
    if (!started) throw CommandError(ExitCode::bad_configuration, started.error().message);
    return std::move(*started);
  }

  void begin_drain() {
    api.drain();
    server->stop_listening();
    coroutines.spawn(drain());
  }

  Co<void> drain() {
    const int64_t deadline_ns = clock.now_ns() + options.drain_timeout_ms * ns_per_ms;
    while (server->open_requests() > 0 && clock.now_ns() < deadline_ns) {
      co_await sleep_until(clock, clock.now_ns() + drain_look_ns);
    }
    health.reset();
    server.reset();  // cuts off the requests that are left, and so ends their spans
    if (spans) co_await spans->finish();
    loop.stop();
  }

  const RunServerOptions& options;
  Loop loop;
  SystemClock clock{loop};
  Resolver resolver{loop, clock};
  PgServers servers{clock, resolver, primary_conninfo_of(options.database_url)};
  WireHttpClient http{loop, clock};
  std::unique_ptr<SpanExporter> spans;
  std::optional<PgServers> standby;
  Api api;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<HttpServer> health;
  CoGroup coroutines;
  ExitCode exit_code = ExitCode::ok;
};

}  // namespace

ExitCode run_server(const RunServerOptions& options) {
  check_schema(*connect(options.database_url), embedded_sql());
  const auto process = std::make_unique<Process>(options);
  process->start();
  if (options.tls_certificate.empty()) warn_of_plain_http(process->server->address());
  options.on_started(process->server->address(),
                     process->health ? process->health->address() : std::string());
  process->loop.run();
  return process->exit_code;
}

}  // namespace sluice
