// LatencySpec says how long a stand-in model takes: a mixture of ranges, each with its share. It
// owns no random numbers and waits for nothing; who asks brings two numbers and does the waiting.
//
//   10ms                        always that long         0                          at once
//   1s-5s                       evenly between the two
//   95%:1s-5s,5%:20s-40s        a mixture; the shares add up to 100 %
// Units: us, ms, s, m; fractions are allowed (0.5s).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "result.h"

namespace sluice {

// A duration as users write it, up to a day. Error::refuse names what is wrong with it.
Result<int64_t> parse_duration_ns(std::string_view text);

class LatencySpec final {
 public:
  static Result<LatencySpec> parse(std::string_view text);  // Error::refuse

  // The latency at which `pick` chooses the range and `position` the place in it. Requires: both in
  // [0, 1).
  int64_t latency_ns(double pick, double position) const;

 private:
  struct Range {
    double share;  // of 1
    int64_t from_ns;
    int64_t to_ns;
  };
  static Result<Range> parse_range(std::string_view text);

  std::vector<Range> ranges_;  // never empty
};

}  // namespace sluice
