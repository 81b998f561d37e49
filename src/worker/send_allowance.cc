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
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(noted_, sorted.size()));
  const auto median = sorted.begin() + (end - sorted.begin()) / 2;
  std::nth_element(sorted.begin(), median, end);
  const int64_t wanted_ms = *median * 3 / 2 / ns_per_ms;
  if (wanted_ms <= bounds::send_within_ms) return std::nullopt;
  return std::min(wanted_ms, bounds::send_within_ms_max);
}

}  // namespace sluice
