#include "worker/run_worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "bounds.h"
#include "command_error.h"
#include "db/database_url.h"
#include "db/migrate.h"
#include "runtime/http_server.h"
#include "runtime/signal.h"
#include "runtime/stop_signals.h"
#include "runtime/wire_http_client.h"
#include "trace/span_exporter.h"
#include "worker/concurrency.h"
#include "worker/monitor.h"
#include "worker/pg_database.h"

namespace sluice {

namespace {

PgDatabaseOptions database_options(const RunWorkerOptions& options, PgServers& work,
                                   PgServers& listen) {
  PgDatabaseOptions database{work, listen};
  database.stores_apart = options.stores_apart;
  database.schema_versions = options.schema_versions;
  database.known_schemas = known_schemas(embedded_sql());
  return database;
}

// Sessions, the monitor's connections and those that backends keep.
constexpr int64_t files_of_others = 128;

// How many calls the system's open files allow at once.
int64_t calls_by_files() {
  return std::max<int64_t>(2, Loop::open_files_max() - files_of_others);
}

// A call beyond the system's open files would fail, and so would whatever else needs one. Where
// they are too few for the slots, extra calls have none.
WorkerOptions with_files_for_calls(WorkerOptions worker) {
  const int64_t calls_max = calls_by_files();
  if (calls_max < worker.slots + Concurrency::urgent_slots(worker.slots)) {
    worker.slots = static_cast<int>(calls_max);
    worker.slots -= Concurrency::urgent_slots(worker.slots);
    spdlog::warn("it has {} slots and no extra calls: the system allows {} open files (ulimit -Hn)",
                 worker.slots, Loop::open_files_max());
  }
  worker.extra_calls_max = static_cast<size_t>(calls_max - worker.slots) -
                           static_cast<size_t>(Concurrency::urgent_slots(worker.slots));
  return worker;
}

HttpClientLimits http_limits(const RunWorkerOptions& options) {
  HttpClientLimits limits;
  limits.answer_bytes_max = options.answer_bytes_max;
  limits.connections_max = static_cast<size_t>(calls_by_files());
  return limits;
}

// The parts that live as long as the loop runs, made in this order and destroyed in reverse.
struct Process {
  explicit Process(const RunWorkerOptions& options)
      : clock(loop),
        resolver(loop, clock),
        servers(clock, resolver, primary_conninfo_of(options.database_url)),
        database(loop, clock, database_options(options, servers, direct_servers(options))),
        http(loop, clock, http_limits(options)),
        spans(SpanExporter::of_environment(
            options.api ? "sluice-up" : "sluice-worker", clock, http,
            [this](size_t exported, size_t dropped) { metrics.note_spans(exported, dropped); })),
        worker(with_files_for_calls(options.worker), clock, database, http, metrics, spans.get()),
        monitor(clock, worker, metrics),
        broken(options.broken) {
    if (options.api) api = std::make_unique<Api>(loop, clock, servers, *options.api, spans.get());
  }

  void serve_http(const std::string& address) {
    HttpServerOptions server_options =
        api ? api->server_options(address) : HttpServerOptions::without_bodies(address, "--http");
    Result<std::unique_ptr<HttpServer>> started =
        HttpServer::start(loop, clock, server_options,
                          [this](HttpIncoming incoming) { return answer(std::move(incoming)); });
    if (!started) throw CommandError(ExitCode::bad_configuration, started.error().message);
    server = std::move(*started);
    spdlog::info("{}health and metrics on http://{}", api ? "HTTP API, " : "", server->address());
    if (api) warn_of_plain_http(server->address());
    lag_due_ns = clock.now_ns();
    measure_lag();
  }

  // Of the listening session: what the sessions know of the servers is shared if they are the same.
  PgServers& direct_servers(const RunWorkerOptions& options) {
    const std::string conninfo = primary_conninfo_of(options.direct_url);
    if (conninfo == servers.conninfo()) return servers;
    return direct.emplace(clock, resolver, conninfo, "the database of --direct-url");
  }

  // Moments that passed while the loop was busy count too: a second's stall is ten late timers.
  void measure_lag() {
    const int64_t now_ns = clock.now_ns();
    for (; lag_due_ns <= now_ns; lag_due_ns += bounds::lag_interval_ms * ns_per_ms) {
      metrics.note_loop_lag(static_cast<double>(now_ns - lag_due_ns) /
                            static_cast<double>(ns_per_s));
    }
    if (worker.is_idle() && server->open_requests() == 0) {
      lag_due_ns = now_ns + bounds::lag_interval_idle_ms * ns_per_ms;
    }
    lag_timer = clock.call_at(lag_due_ns, [this] { measure_lag(); });
  }

  // Health is the worker's, readiness and metrics are of both.
  Co<HttpReply> answer(HttpIncoming incoming) {
    if (incoming.path == "/metrics") {
      metrics.set_memory(worker.request_bytes(), http.answer_bytes());
    }
    if (!api || incoming.path == "/healthz") return monitor.answer(std::move(incoming));
    if (incoming.path == "/readyz") return readiness(std::move(incoming));
    return incoming.path == "/metrics" ? all_metrics(std::move(incoming))
                                       : api->answer(std::move(incoming));
  }

  // The API may be the later one: it reads its keys in a session of its own.
  Co<HttpReply> readiness(HttpIncoming incoming) {
    const HttpReply of_api = co_await api->answer(incoming);
    if (of_api.status == 503) co_return of_api;
    co_return co_await monitor.answer(std::move(incoming));
  }

  Co<HttpReply> all_metrics(HttpIncoming incoming) {
    HttpReply reply = co_await monitor.answer(incoming);
    const HttpReply more = co_await api->answer(std::move(incoming));
    if (reply.status == 200) reply.body += more.body;
    co_return reply;
  }

  void drain() {
    worker.drain();
    if (api) api->drain();
  }

  void force(ExitCode code) {
    exit_code = code;
    worker.leave();
    if (spans) spans->give_up();
  }

  void look_for_breakage() {
    if (const std::optional<std::string> reason = broken()) {
      spdlog::error("{}", *reason);
      exit_code = ExitCode::failure;
      worker.leave();
      broke.raise();
      return;
    }
    clock.call_at(clock.now_ns() + bounds::look_interval_ms * ns_per_ms,
                  [this] { look_for_breakage(); });
  }

  Co<void> run() {
    result = co_await worker.run();
    // A server that has just ended may not be known to have: the cause is told, not what followed.
    if (!result && broken) {
      const int64_t until_ns = clock.now_ns() + 2 * bounds::look_interval_ms * ns_per_ms;
      while (exit_code == ExitCode::ok && clock.now_ns() < until_ns) {
        co_await broke.wait_until(clock, until_ns);
      }
    }
    clock.cancel(lag_timer);
    server.reset();  // cuts off the requests that are left, and so ends their spans
    if (spans) co_await spans->finish();
    loop.stop();
  }

  Loop loop;
  SystemClock clock;
  Resolver resolver;
  PgServers servers;
  std::optional<PgServers> direct;
  Metrics metrics;
  PgDatabase database;
  WireHttpClient http;
  std::unique_ptr<SpanExporter> spans;
  Worker worker;
  Monitor monitor;
  std::function<std::optional<std::string>()> broken;
  std::unique_ptr<Api> api;
  std::unique_ptr<HttpServer> server;
  Result<void> result;
  Signal broke;  // run() waits for it
  ExitCode exit_code = ExitCode::ok;
  int64_t lag_due_ns = 0;
  Clock::TimerId lag_timer = 0;
};

ExitCode code_of(const Error& error) {
  if (error.code == "schema") return ExitCode::schema_mismatch;
  return error.action == Error::Action::reconnect ? ExitCode::database_unreachable
                                                  : ExitCode::failure;
}

}  // namespace

ExitCode run_worker(RunWorkerOptions options) {
  auto process = std::make_unique<Process>(options);
  if (options.http_address) process->serve_http(*options.http_address);
  on_stop_signals(
      process->loop, [&process] { process->drain(); },
      [&process](ExitCode code) { process->force(code); });
  if (options.broken) process->look_for_breakage();
  if (options.on_started) {
    options.on_started(process->server ? process->server->address() : std::string());
  }
  spawn(process->run());
  process->loop.run();
  if (!process->result && process->exit_code == ExitCode::ok) {
    const Error& error = process->result.error();
    const ExitCode code = code_of(error);
    throw CommandError(code, code == ExitCode::database_unreachable
                                 ? unreachable_text(options.database_url, error.message)
                                 : error.message);
  }
  return process->exit_code;
}

}  // namespace sluice
