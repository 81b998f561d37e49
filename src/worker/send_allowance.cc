#include "worker/send_allowance.h"

#include <algorithm>
#include <cstddef>

#include "bounds.h"
#include "runtime/clock.h"

namespace sluice {

void SendAllowance::note(int64_t after_ns) {
  last_ns_[noted_++ % last_ns_.size()] = after_ns;
}

std::optional<int64_t> SendAllowance::wanted_ms() const {
  if (noted_ == 0) return std::nullopt;
  auto sorted = last_ns_;
  const size_t count = std::min(noted_, sorted.size());
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
  if (sorted[count / 4] <= bounds::send_within_ms * ns_per_ms) return std::nullopt;
  return std::min(sorted[count / 2] * 3 / 2 / ns_per_ms, bounds::send_within_ms_max);
}

}  // namespace sluice
