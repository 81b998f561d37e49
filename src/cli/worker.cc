#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bounds.h"
#include "cli/command.h"
#include "cli/secret_flags.h"
#include "duration.h"
#include "process_rights.h"
#include "worker/run_worker.h"

namespace sluice {

namespace {

struct WorkerFlags {
  int slots = 400;
  int db_connections = 3;
  std::vector<std::string> models;
  std::vector<std::string> schema_versions;
  std::string http;
  std::string drain_timeout = "30s";
  int64_t answer_memory = bounds::answer_memory_bytes_default;
  int64_t request_memory = bounds::request_memory_bytes_default;
  bool once = false;
  SecretBounds secrets;
};

std::string worker_name() {
  char host[256] = "unknown";
  gethostname(host, sizeof host - 1);
  return std::string(host) + "/" + std::to_string(getpid());
}

ExitCode serve(const WorkerFlags& flags, const GlobalOptions& globals) {
  hide_memory();
  RunWorkerOptions options;
  options.database_url = globals.database_url;
  options.direct_url = globals.direct_url;
  options.stores_apart = flags.db_connections > 2;
  options.worker.name = worker_name();
  options.worker.slots = flags.slots;
  options.worker.models = flags.models;
  options.schema_versions = flags.schema_versions;
  options.worker.once = flags.once;
  options.worker.secrets = flags.secrets;
  options.worker.drain_timeout_ms = parse_duration_ms(flags.drain_timeout);
  options.answer_bytes_max = flags.answer_memory;
  options.worker.request_bytes_max = flags.request_memory;
  if (!flags.http.empty()) options.http_address = flags.http;
  options.on_started = [](const std::string&) { drop_capabilities(); };
  return run_worker(std::move(options));
}

}  // namespace

Action configure_worker(CLI::App& app) {
  auto flags = std::make_shared<WorkerFlags>();
  app.footer(app.get_footer() + spans_footer);
  app.add_option("--slots", flags->slots, "calls in flight at most")
      ->check(CLI::Range(1, bounds::slots_max))
      ->option_text("N [400]");
  app.add_option("--db-connections", flags->db_connections,
                 "one works, one listens, one stores outcomes; with two the first does that, too")
      ->check(CLI::Range(2, 3))
      ->option_text("N [3]");
  app.add_option("--models", flags->models, "names of the models to serve [all]")
      ->delimiter(',')
      ->option_text("A,B");
  app.add_option("--schema-version", flags->schema_versions,
                 "versions of payloads to serve; tasks without one come besides [all]")
      ->delimiter(',')
      ->option_text("V,W");
  app.add_option("--http", flags->http, "serve /healthz, /readyz and /metrics there [off]")
      ->option_text("HOST:PORT");
  app.add_option("--drain-timeout", flags->drain_timeout,
                 "on SIGTERM, how long calls may finish before they are handed back")
      ->option_text("DURATION [30s]");
  app.add_option("--answer-memory", flags->answer_memory,
                 "memory for answers, of all calls together, until they are stored; backends wait")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/true))
      ->check(CLI::Range(bounds::answer_memory_bytes_least, bounds::memory_bytes_most))
      ->option_text("SIZE [256MiB]");
  app.add_option("--request-memory", flags->request_memory,
                 "memory for requests above 64 KiB, of all calls together, until they are sent; "
                 "calls wait")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/true))
      ->check(CLI::Range(bounds::request_memory_bytes_least, bounds::memory_bytes_most))
      ->option_text("SIZE [256MiB]");
  add_secret_flags(app, flags->secrets);
  app.add_flag("--once", flags->once,
               "work until no task of its models is unfinished, then exit 0");
  return [flags](const GlobalOptions& globals) { return serve(*flags, globals); };
}

}  // namespace sluice
