// Clock tells the monotonic time and calls back at a moment: the seam that lets tests own time.
// SystemClock is the real one, on the event loop; a clock does not know the wall time and never
// sleeps by blocking.
//
// Thread rule: loop thread only. A callback runs inside a ReadyQueue batch; it may set and cancel
// timers. Timers are bounded by their callers: each belongs to one call, connection or coroutine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "runtime/co.h"
#include "runtime/fd_watch.h"

namespace sluice {

inline constexpr int64_t ns_per_ms = 1'000'000;
inline constexpr int64_t ns_per_s = 1'000'000'000;

class Clock {
 public:
  using TimerId = uint64_t;  // never 0, never used twice

  virtual ~Clock() = default;
  virtual int64_t now_ns() const = 0;  // monotonic
  // Calls `fn` once, not before `at_ns`; also for a moment that has passed it is later, never from
  // within.
  virtual TimerId call_at(int64_t at_ns, std::function<void()> fn) = 0;
  virtual void cancel(TimerId id) = 0;  // of a timer that is gone: nothing
};

// The timers of a clock by moment, then in order of setting. Knows no time by itself.
class TimerTable final {
 public:
  Clock::TimerId add(int64_t at_ns, std::function<void()> fn);
  void cancel(Clock::TimerId id);
  // Runs what is due at `now_ns`. Timers set meanwhile wait for the next round, even those that are
  // due.
  void run_due(int64_t now_ns);
  std::optional<int64_t> next_at_ns() const;

 private:
  std::map<std::pair<int64_t, Clock::TimerId>, std::function<void()>> timers_;
  std::unordered_map<Clock::TimerId, int64_t> at_ns_;
  Clock::TimerId next_id_ = 1;
};

// CLOCK_MONOTONIC, with one timerfd behind all timers: libuv's own timers count whole milliseconds
// from a cached time, this one is late by tens of microseconds when the loop is idle. The loop
// outlives it.
class SystemClock final : public Clock {
 public:
  explicit SystemClock(Loop& loop);
  ~SystemClock() override;
  SystemClock(const SystemClock&) = delete;
  SystemClock& operator=(const SystemClock&) = delete;

  int64_t now_ns() const override;
  TimerId call_at(int64_t at_ns, std::function<void()> fn) override;
  void cancel(TimerId id) override;

 private:
  void on_timer();
  void arm(int64_t at_ns);

  int timer_fd_;
  std::optional<FdWatch> watch_;
  TimerTable timers_;
  // The time the timerfd is set to. A cancelled timer leaves it alone: one needless wake-up is
  // cheaper than a system call.
  std::optional<int64_t> armed_at_ns_;
};

// Suspends the awaiting coroutine until the clock says `at_ns`. Destroyed while it waits, it
// cancels its timer.
Co<void> sleep_until(Clock& clock, int64_t at_ns);

}  // namespace sluice
