// Endings wakes clients that wait for a task to end, or that must hear that its model is parked.
// Completions do not notify, so it polls: for all awaited ids together, while there are any. It
// holds no connection and no thread for a waiter; it does not read outcomes.
//
// Thread rule: loop thread only; the clock and the pool outlive it, it outlives its waiters.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "api/pg_pool.h"

namespace sluice {

class Endings final {
 public:
  Endings(Clock& clock, PgPool& database) : clock_(clock), database_(database) {}

  // Until task `id` has an outcome or is parked, `deadline_ns`, release(), or nobody waits for the
  // answer: then look for yourself.
  Co<void> wait(int64_t id, int64_t deadline_ns, std::function<bool()> is_awaited);

  // Lets everybody go; from here on nobody waits.
  void release();
  bool is_released() const { return released_; }

 private:
  using Waiters = std::multimap<int64_t, Signal*>;
  struct Place;

  Co<void> look_while_awaited();
  Co<void> look(const char* statement, int64_t after, int64_t* last);
  void wake(int64_t id);

  Clock& clock_;
  PgPool& database_;
  Waiters waiters_;  // by task
  bool looking_ = false;
  bool released_ = false;
  int64_t parked_look_at_ns_ = 0;
  CoGroup coroutines_;
};

}  // namespace sluice
