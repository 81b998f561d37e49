// Api is the HTTP front without its sockets: it answers requests that somebody else has read. It
// owns everything for that: a few database connections, the keys, the waiting clients, the metrics.
//
// Thread rule: loop thread only; the loop, the clock, the servers and the exporter outlive it.
// Requests that it is answering must have ended, or been destroyed, before it is.
#pragma once

#include <string>
#include <string_view>

#include "api/front.h"
#include "api/queue_metrics.h"
#include "api/reads.h"
#include "runtime/loop.h"

namespace sluice {

struct ApiOptions {
  bool without_keys = false;  // everybody is an administrator: for loopback addresses only
  // For requests; besides, one for the server's own statements, one for those that nobody waits for
  // and, while there is work for them, two for what takes long.
  int db_connections = 4;
  bool opens_on_demand = false;  // all but one, while there is work for them
  DatabaseBreakerLimits breaker;
  // Of server-sent events: then their client has to ask, and show its key, anew.
  int64_t stream_life_ms = 3'600'000;
  int64_t read_lag_ms_max = 30'000;  // of a standby that is read
  std::string url_scheme = "http";   // that clients use, as spans say it
};

// Throws CommandError unless `address`, HOST:PORT, is this machine's alone.
void require_loopback(const std::string& address);

// Of the console of a server that listens on `address`, for a browser of this machine.
std::string console_url(std::string_view scheme, std::string_view address);

// Logs a warning if plain HTTP is served on an `address` that other machines can reach.
void warn_of_plain_http(const std::string& address);

class Api final {
 public:
  // `spans`: the exporter of the requests' spans; null: none. `standby`: of `servers`, for reads;
  // null: none.
  Api(Loop& loop, Clock& clock, PgServers& servers, const ApiOptions& options, SpanExporter* spans,
      PgServers* standby = nullptr);

  Co<HttpReply> answer(HttpIncoming incoming) { return front_.answer(std::move(incoming)); }

  // The options of a server whose handler is this API.
  HttpServerOptions server_options(std::string address);

  // For a listener of its own, with health and metrics only.
  HttpServerOptions monitor_options(std::string address);
  Co<HttpReply> answer_monitor(HttpIncoming incoming) {
    return front_.answer_monitor(std::move(incoming));
  }

  HttpMetrics& metrics() { return metrics_; }

  // From now on it is not ready, and requests do not wait; it still answers.
  void drain();

 private:
  PgPool database_;
  PgPool background_;  // one connection, for statements that take seconds
  PgPool bulk_;        // one on demand, for steps of up to a second
  BulkTurns bulk_turns_;
  PgPool large_;  // one on demand, for submissions that may take seconds
  Reads reads_;
  KeyRing keys_;
  Submitter submitter_;
  Endings endings_;
  Live live_;
  BatchRunner batches_;
  HttpMetrics metrics_;
  QueueMetrics queue_metrics_;
  Front front_;
};

}  // namespace sluice
