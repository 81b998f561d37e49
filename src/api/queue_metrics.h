// QueueMetrics tells Prometheus of the queues as the database sees them: depth and bound, age and
// breaker of each model. It asks every 15 s, as scrapes do; a database that does not answer leaves
// no old figures behind.
//
// Thread rule: loop thread only; the clock and the pool outlive it.
#pragma once

#include <string>

#include "api/pg_pool.h"

namespace sluice {

class QueueMetrics final {
 public:
  // `database`: its statement takes long where there are many models.
  QueueMetrics(Clock& clock, PgPool& database);

  const std::string& text() const { return text_; }  // in Prometheus's text format

 private:
  Task<void> keep_reading();

  Clock& clock_;
  PgPool& database_;
  std::string text_;
  TaskGroup tasks_;
};

}  // namespace sluice
