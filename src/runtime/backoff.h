// Backoff says how long to pause before an attempt: not at all until one has failed, then a random
// time (full jitter, so that processes do not come back in step) up to a bound that doubles with
// each failure. It owns that bound; it waits for nothing.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <random>

namespace sluice {

class Backoff final {
 public:
  // From 1 to the bound, in milliseconds; 0: the last attempt did not fail.
  int64_t pause_ms();

  // The bound grows, from bounds::reconnect_pause_ms_base to `max_ms`.
  void note_failure(int64_t max_ms);
  void note_success() { bound_ms_ = 0; }

 private:
  int64_t bound_ms_ = 0;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace sluice
