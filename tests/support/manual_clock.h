// A clock that stands still until a test moves it. Owns its timers; knows nothing of real time.
#pragma once

#include <utility>

#include "runtime/clock.h"

namespace sluice {

class ManualClock final : public Clock {
 public:
  int64_t now_ns() const override { return now_ns_; }
  TimerId call_at(int64_t at_ns, std::function<void()> fn) override {
    return timers_.add(at_ns, std::move(fn));
  }
  void cancel(TimerId id) override { timers_.cancel(id); }

  // Moves on from timer to timer, so that each sees the very moment it asked for, and what a timer
  // sets is run too.
  void advance(int64_t by_ns) {
    const int64_t end_ns = now_ns_ + by_ns;
    for (auto next = timers_.next_at_ns(); next && *next <= end_ns; next = timers_.next_at_ns()) {
      if (*next > now_ns_) now_ns_ = *next;
      timers_.run_due(now_ns_);
    }
    now_ns_ = end_ns;
  }
  std::optional<int64_t> next_timer_at_ns() const { return timers_.next_at_ns(); }

 private:
  int64_t now_ns_ = ns_per_s;
  TimerTable timers_;
};

}  // namespace sluice
