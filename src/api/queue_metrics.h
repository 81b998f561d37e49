// QueueMetrics tells Prometheus of the queues and the fleet as the database sees them: depth and
// bound, age, blocks and breaker of each model, live workers, results so far, budgets. It asks when
// somebody scrapes, and not again within 15 s; a database that does not answer leaves no old
// figures behind.
//
// Thread rule: loop thread only; the clock, the reads and the pool outlive it.
#pragma once

#include <string>

#include "api/reads.h"

namespace sluice {

class QueueMetrics final {
 public:
  // `database`: the primary's; its statement takes long where there are many models.
  QueueMetrics(Clock& clock, Reads& reads, PgPool& database)
      : clock_(clock), reads_(reads), database_(database) {}

  // In Prometheus's text format. Waits for a reading that is due, but not for long: then it is what
  // there was, or nothing.
  Co<std::string> text();

 private:
  Co<void> read();

  Clock& clock_;
  Reads& reads_;
  PgPool& database_;
  std::string text_;
  int64_t read_at_ns_ = 0;  // the last answer
  int64_t due_at_ns_ = 0;
  bool is_reading_ = false;
  bool is_awaited_ = false;
  Signal has_read_;  // one waits for it at a time
  CoGroup coroutines_;
};

}  // namespace sluice
