// run_server puts the HTTP front together from its real parts and runs it until it is told to stop:
// the body of `sluice serve`. It owns the event loop of the process; it parses no flags.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/api.h"
#include "exit_code.h"

namespace sluice {

struct RunServerOptions {
  std::string database_url;
  std::string read_url;  // of a hot standby; empty: the primary has the reads, too
  ApiOptions api;
  std::string listen;
  std::string health_listen;    // of health and metrics alone, besides; empty: nowhere
  std::string tls_certificate;  // PEM, with its chain; empty: plain HTTP
  std::string tls_key;
  int64_t drain_timeout_ms = 30'000;
  // It listens; `health`: where --health-listen does, or empty.
  std::function<void(const std::string& address, const std::string& health)> on_started;
};

// Blocks. SIGTERM, SIGINT and SIGHUP drain: no new connections, waiting clients are answered, then
// exit; a second one ends it at once. Throws CommandError when it cannot start.
ExitCode run_server(const RunServerOptions& options);

}  // namespace sluice
