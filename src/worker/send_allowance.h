// SendAllowance says how long the permits of the next claim should be good for. On a busy machine
// calls go out later after their claim than a usual permit lasts; without more time each of them
// would be handed back unsent, for ever. It follows the last calls, and knows no task and no model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace sluice {

class SendAllowance final {
 public:
  // A call went out, or its permit was forfeited, so long after its claim was sent.
  void note(int64_t after_ns);
  // If three quarters of the last calls were too late for a usual permit: half as long again as
  // half of them took; else nullopt. The quota pays for more (sql/functions/3_limits/permits.sql),
  // and where a quarter goes out in time, work goes on without.
  std::optional<int64_t> wanted_ms() const;

 private:
  std::array<int64_t, 31> last_ns_ = {};
  size_t noted_ = 0;
};

}  // namespace sluice
