// SlidingWindow keeps a model's quota exactly: never more than `limit` accepted arrivals in any
// half-open window of the given width. It remembers each accepted arrival, so its memory is its
// limit; it knows no clock.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace sluice {

class SlidingWindow final {
 public:
  SlidingWindow(int limit, int64_t width_ns) : limit_(limit), width_ns_(width_ns) {}

  // Accepts an arrival and returns nothing, or says when the next one would be accepted. Requires:
  // time does not go back.
  std::optional<int64_t> refused_until_ns(int64_t now_ns);

 private:
  int limit_;
  int64_t width_ns_;
  std::deque<int64_t> accepted_ns_;
};

}  // namespace sluice
