#include <unistd.h>

#include <memory>

#include "bounds.h"
#include "cli/command.h"
#include "cli/secret_flags.h"
#include "cli/syntax.h"
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

Action configure_worker(CommandSyntax syntax) {
  auto flags = std::make_shared<WorkerFlags>();
  syntax.append_footer(spans_footer);
  syntax.add_option("--slots", flags->slots, "calls in flight at most")
      .in_range(1, bounds::slots_max)
      .option_text("N [400]");
  syntax
      .add_option("--db-connections", flags->db_connections,
                  "one works, one listens, one stores outcomes; with two the first does that, too")
      .in_range(2, 3)
      .option_text("N [3]");
  syntax.add_option("--models", flags->models, "names of the models to serve [all]")
      .delimiter(',')
      .option_text("A,B");
  syntax
      .add_option("--schema-version", flags->schema_versions,
                  "versions of payloads to serve; tasks without one come besides [all]")
      .delimiter(',')
      .option_text("V,W");
  syntax.add_option("--http", flags->http, "serve /healthz, /readyz and /metrics there [off]")
      .option_text("HOST:PORT");
  syntax
      .add_option("--drain-timeout", flags->drain_timeout,
                  "on SIGTERM, how long calls may finish before they are handed back")
      .option_text("DURATION [30s]");
  syntax
      .add_option("--answer-memory", flags->answer_memory,
                  "memory for answers, of all calls together, until they are stored; backends "
                  "wait, but over HTTP/2, where answers take twice as much at most")
      .as_size()
      .in_range(bounds::answer_memory_bytes_least, bounds::memory_bytes_most)
      .option_text("SIZE [256MiB]");
  syntax
      .add_option("--request-memory", flags->request_memory,
                  "memory for requests above 64 KiB, of all calls together, until they are sent; "
                  "calls wait")
      .as_size()
      .in_range(bounds::request_memory_bytes_least, bounds::memory_bytes_most)
      .option_text("SIZE [256MiB]");
  add_secret_flags(syntax, flags->secrets);
  syntax.add_flag("--once", flags->once,
                  "work until no task of its models is unfinished, then exit 0");
  return [flags](const GlobalOptions& globals) { return serve(*flags, globals); };
}

}  // namespace sluice
