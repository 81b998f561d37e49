#include "worker/sleep.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "bounds.h"
#include "runtime/clock.h"

namespace sluice {

bool Sleep::is_tired(int64_t now_ns) const {
  const int64_t idle_ms = std::min(bounds::sleep_after_ms, idle_look_ms_);
  return is_awake() && now_ns >= busy_at_ns_ + idle_ms * ns_per_ms;
}

void Sleep::grant(int64_t now_ns, int64_t wake_in_ms) {
  state_ = State::asleep;
  look_at_ns_ = now_ns + idle_look_ms_ * ns_per_ms;
  alarm_at_ns_ = now_ns + wake_in_ms * ns_per_ms;
}

bool Sleep::end(int64_t now_ns) {
  busy_at_ns_ = now_ns;
  return std::exchange(state_, State::awake) != State::awake;
}

int64_t Sleep::look_up_at_ns() const {
  return std::min(look_at_ns_, alarm_at_ns_);
}

bool Sleep::take_look(int64_t now_ns) {
  if (now_ns < look_at_ns_) return false;
  look_at_ns_ = std::numeric_limits<int64_t>::max();
  return true;
}

}  // namespace sluice
