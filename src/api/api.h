// Api is the HTTP front without its sockets: it answers requests, whoever has read them. It owns
// what that takes: a few database connections, the keys, who waits, the metrics.
//
// Thread rule: loop thread only; the loop, the clock, the servers and the exporter outlive it.
// Requests that it is answering must have ended, or been destroyed, before it is.
#pragma once

#include <string>

#include "api/front.h"
#include "api/queue_metrics.h"
#include "runtime/loop.h"

namespace sluice {

struct ApiOptions {
  bool without_keys = false;     // everybody is an administrator: for loopback addresses only
  int db_connections = 4;        // and one for statements that nobody waits for, one for bulk
  bool opens_on_demand = false;  // all but one, while there is work for them
  DatabaseBreakerLimits breaker;
  std::string url_scheme = "http";  // that clients use, as spans say it
};

// Throws CommandError unless `address`, HOST:PORT, is this machine's alone.
void require_loopback(const std::string& address);

class Api final {
 public:
  // `spans`: where those of the requests go; null: nowhere.
  Api(Loop& loop, Clock& clock, PgServers& servers, const ApiOptions& options, SpanExporter* spans);

  Task<HttpReply> answer(HttpIncoming incoming) { return front_.answer(std::move(incoming)); }

  HttpMetrics& metrics() { return metrics_; }

  // From here on it is not ready, and nobody waits; it still answers.
  void drain();

 private:
  PgPool database_;
  PgPool background_;  // one connection, for statements that take seconds
  PgPool bulk_;        // one on demand, for those that may take minutes
  KeyRing keys_;
  Submitter submitter_;
  Endings endings_;
  BatchRunner batches_;
  HttpMetrics metrics_;
  QueueMetrics queue_metrics_;
  Front front_;
};

}  // namespace sluice
