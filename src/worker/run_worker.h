// run_worker puts a worker together from its real parts and runs it until it is told to stop: the
// body of `sluice worker` and of `sluice up`. It owns the event loop of the process; it parses no
// flags and starts no database.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/api.h"
#include "bounds.h"
#include "exit_code.h"
#include "worker/worker.h"

namespace sluice {

struct RunWorkerOptions {
  std::string database_url;
  std::string direct_url;
  bool stores_apart = false;  // outcomes have a session of their own
  WorkerOptions worker;
  std::vector<std::string> schema_versions;  // of payloads that it serves; empty: all
  int64_t answer_bytes_max = bounds::answer_memory_bytes_default;
  std::optional<std::string> http_address;  // of /healthz, /readyz and /metrics
  std::optional<ApiOptions> api;            // there, too, is the API
  // Looked at once a second: a line says why the worker cannot go on (its own PostgreSQL died), and
  // it ends with failure.
  std::function<std::optional<std::string>()> broken;
  // The monitor answers at `http`, if anywhere; the worker is about to connect.
  std::function<void(const std::string& http)> on_started;
};

// Blocks. SIGTERM, SIGINT and SIGHUP drain; a second one hands tasks back at once. Throws
// CommandError when it cannot start.
ExitCode run_worker(RunWorkerOptions options);

}  // namespace sluice
