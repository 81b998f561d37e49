#include "mock/sliding_window.h"

namespace sluice {

std::optional<int64_t> SlidingWindow::refused_until_ns(int64_t now_ns) {
  while (!accepted_ns_.empty() && accepted_ns_.front() <= now_ns - width_ns_) {
    accepted_ns_.pop_front();
  }
  if (static_cast<int64_t>(accepted_ns_.size()) >= limit_) {
    // Nothing was ever accepted with a limit of 0, and nothing will be.
    return (accepted_ns_.empty() ? now_ns : accepted_ns_.front()) + width_ns_;
  }
  accepted_ns_.push_back(now_ns);
  return std::nullopt;
}

}  // namespace sluice
