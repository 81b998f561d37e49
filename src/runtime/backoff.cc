#include "runtime/backoff.h"

#include <algorithm>

#include "bounds.h"

namespace sluice {

int64_t Backoff::pause_ms() {
  if (bound_ms_ == 0) return 0;
  return std::uniform_int_distribution<int64_t>(1, bound_ms_)(random_);
}

void Backoff::note_failure(int64_t max_ms) {
  constexpr int64_t base_ms = bounds::reconnect_pause_ms_base;
  bound_ms_ = std::clamp(bound_ms_ * 2, base_ms, std::max(base_ms, max_ms));
}

}  // namespace sluice
