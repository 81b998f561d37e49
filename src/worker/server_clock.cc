#include "worker/server_clock.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr int64_t ns_per_us = 1'000;

// Two sound clocks run apart by less: NTP slews one by 500 ppm at most, a quartz by 50.
constexpr int64_t drift_us_per_s = 600;

// A smaller step is no jump: it earns less than a tenth of a burst, and NTP makes such.
constexpr int64_t jump_us_min = 50'000;

}  // namespace

void ServerClock::note(int64_t reading_us, int64_t sent_ns, int64_t arrived_ns) {
  const int64_t us_max = reading_us - sent_ns / ns_per_us;
  const int64_t us_min = reading_us - arrived_ns / ns_per_us;
  if (!lead_) return reset(reading_us, sent_ns);
  const int64_t drift_us =
      std::max<int64_t>(0, arrived_ns - lead_->sent_ns) / 1'000'000 * drift_us_per_s / 1'000;
  const int64_t ahead_us = us_min - (lead_->us_max + drift_us);
  jump_us_ = ahead_us > jump_us_min ? ahead_us : 0;
  if (jump_us_ > 0) return;
  lead_ = Lead{std::min(us_max, lead_->us_max + drift_us), sent_ns};
  sound_us_ = reading_us;
}

void ServerClock::reset(int64_t reading_us, int64_t sent_ns) {
  lead_ = Lead{reading_us - sent_ns / ns_per_us, sent_ns};
  jump_us_ = 0;
  sound_us_ = reading_us;
}

}  // namespace sluice
