// Monitor answers the health and metrics requests of a worker: /healthz (the process), /readyz
// (database, schema, registration, wake-ups, not draining), /metrics (Prometheus). It never calls a
// model and never waits for the database.
//
// Thread rule: loop thread only. Worker and metrics outlive it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/clock.h"
#include "runtime/http_server.h"
#include "worker/metrics.h"
#include "worker/worker.h"

namespace sluice {

class Monitor final {
 public:
  Monitor(Clock& clock, const Worker& worker, Metrics& metrics)
      : clock_(clock), worker_(worker), metrics_(metrics) {}

  // For HttpServer: GET only; 404 for other paths, 405 for other methods.
  Co<HttpReply> answer(HttpIncoming incoming);

 private:
  const std::string& metrics_text();

  Clock& clock_;
  const Worker& worker_;
  Metrics& metrics_;
  std::string metrics_text_;
  int64_t metrics_until_ns_ = 0;  // so long it is told again
};

}  // namespace sluice
