#include "runtime/clock.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <ctime>
#include <system_error>
#include <utility>

namespace sluice {
namespace {

struct TimerAwaiter {
  TimerAwaiter(Clock& clock_, int64_t at_ns_) : clock(clock_), at_ns(at_ns_) {}
  TimerAwaiter(const TimerAwaiter&) = delete;
  TimerAwaiter& operator=(const TimerAwaiter&) = delete;
  ~TimerAwaiter() {
    if (id != 0) clock.cancel(id);
  }

  bool await_ready() const { return clock.now_ns() >= at_ns; }
  void await_suspend(std::coroutine_handle<> coroutine) {
    id = clock.call_at(at_ns, [this, coroutine] {
      id = 0;
      entry.push(coroutine);
    });
  }
  void await_resume() const noexcept {}

  Clock& clock;
  int64_t at_ns;
  Clock::TimerId id = 0;
  ReadyQueue::Entry entry;
};

}  // namespace

Clock::TimerId TimerTable::add(int64_t at_ns, std::function<void()> fn) {
  const Clock::TimerId id = next_id_++;
  timers_.emplace(std::pair(at_ns, id), std::move(fn));
  at_ns_.emplace(id, at_ns);
  return id;
}

void TimerTable::cancel(Clock::TimerId id) {
  const auto found = at_ns_.find(id);
  if (found == at_ns_.end()) return;
  timers_.erase(std::pair(found->second, id));
  at_ns_.erase(found);
}

void TimerTable::run_due(int64_t now_ns) {
  const Clock::TimerId first_new = next_id_;
  while (!timers_.empty()) {
    const auto [at_ns, id] = timers_.begin()->first;
    if (at_ns > now_ns || id >= first_new) return;
    const auto timer = timers_.extract(timers_.begin());
    at_ns_.erase(id);
    timer.mapped()();
  }
}

std::optional<int64_t> TimerTable::next_at_ns() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

SystemClock::SystemClock(Loop& loop)
    : timer_fd_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (timer_fd_ < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  watch_.emplace(loop, timer_fd_, [this](bool, bool) { on_timer(); });
  watch_->want(true, false);
}

SystemClock::~SystemClock() {
  watch_.reset();
  close(timer_fd_);
}

int64_t SystemClock::now_ns() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * ns_per_s + now.tv_nsec;
}

Clock::TimerId SystemClock::call_at(int64_t at_ns, std::function<void()> fn) {
  if (!armed_at_ns_ || at_ns < *armed_at_ns_) arm(at_ns);
  return timers_.add(at_ns, std::move(fn));
}

void SystemClock::cancel(TimerId id) {
  timers_.cancel(id);
}

void SystemClock::on_timer() {
  uint64_t expirations = 0;
  if (read(timer_fd_, &expirations, sizeof expirations) < 0) return;  // set anew meanwhile
  timers_.run_due(now_ns());
  armed_at_ns_.reset();
  if (const auto next = timers_.next_at_ns()) arm(*next);
}

void SystemClock::arm(int64_t at_ns) {
  const int64_t moment_ns = std::max<int64_t>(at_ns, 1);  // 0 would disarm
  itimerspec moment{};
  moment.it_value.tv_sec = moment_ns / ns_per_s;
  moment.it_value.tv_nsec = moment_ns % ns_per_s;
  [[maybe_unused]] const int failed =
      timerfd_settime(timer_fd_, TFD_TIMER_ABSTIME, &moment, nullptr);
  assert(failed == 0);
  armed_at_ns_ = at_ns;
}

Co<void> sleep_until(Clock& clock, int64_t at_ns) {
  TimerAwaiter timer(clock, at_ns);
  co_await timer;
}

}  // namespace sluice
