#include "mock/latency_spec.h"

#include <cmath>
#include <string>

#include "duration.h"

namespace sluice {
namespace {

constexpr double duration_ns_max = 86'400e9;  // a day: whatever is longer is a mistake
constexpr double share_tolerance = 1e-6;      // of 1; thirds do not add up exactly

tl::unexpected<Error> refused(std::string_view text, std::string_view reason) {
  return tl::unexpected(Error{
      Error::Action::refuse, {}, "latency '" + std::string(text) + "': " + std::string(reason)});
}

}  // namespace

Result<int64_t> parse_duration_ns(std::string_view text) {
  if (text == "0") return 0;
  std::string_view rest = text;
  const auto duration = take_duration(rest);
  if (!duration || !rest.empty()) return refused(text, "not a duration such as 10ms, 5s, 2m");
  if (duration->unit < Duration::Unit::us || duration->unit > Duration::Unit::m) {
    return refused(text, "its unit is none of us, ms, s, m");
  }
  if (duration->ns() > duration_ns_max) return refused(text, "longer than a day");
  return std::llround(duration->ns());
}

Result<LatencySpec::Range> LatencySpec::parse_range(std::string_view text) {
  double share = 1;
  std::string_view rest = text;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const auto percent = take_decimal(rest);
    if (!percent || !rest.starts_with("%:")) return refused(text, "not SHARE%:FROM-TO");
    share = *percent / 100;
    rest.remove_prefix(2);
  }
  const size_t dash = rest.find('-');
  const auto from = parse_duration_ns(rest.substr(0, dash));
  if (!from) return tl::unexpected(from.error());
  if (dash == std::string_view::npos) return Range{share, *from, *from};
  const auto to = parse_duration_ns(rest.substr(dash + 1));
  if (!to) return tl::unexpected(to.error());
  if (*to < *from) return refused(text, "it ends before it begins");
  return Range{share, *from, *to};
}

Result<LatencySpec> LatencySpec::parse(std::string_view text) {
  LatencySpec spec;
  double total = 0;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    const auto range = parse_range(rest.substr(0, comma));
    if (!range) return tl::unexpected(range.error());
    total += range->share;
    spec.ranges_.push_back(*range);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (std::abs(total - 1) > share_tolerance) return refused(text, "the shares are not 100 %");
  return spec;
}

int64_t LatencySpec::latency_ns(double pick, double position) const {
  const Range* chosen = &ranges_.back();  // also for what rounding leaves over
  for (const Range& range : ranges_) {
    if (pick < range.share) {
      chosen = &range;
      break;
    }
    pick -= range.share;
  }
  return chosen->from_ns +
         std::llround(position * static_cast<double>(chosen->to_ns - chosen->from_ns));
}

}  // namespace sluice
