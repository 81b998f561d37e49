#include "duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "command_error.h"

namespace sluice {
namespace {

constexpr int64_t day_ms = 86'400'000;
constexpr std::array<std::pair<std::string_view, int64_t>, 5> units_ms = {
    {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", day_ms}}};

}  // namespace

int64_t parse_duration_ms(const std::string& text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  if (error == std::errc() && number >= 0) {
    for (const auto& [name, ms] : units_ms) {
      if (unit == name && number <= duration_days_max * day_ms / ms) return number * ms;
    }
  }
  throw CommandError(ExitCode::usage,
                     fmt::format("'{}' is not a duration: write 10ms, 5s, 2m, 1h or 1d (at most "
                                 "{} days)",
                                 text, duration_days_max));
}

std::string brief_age(double age_s) {
  const auto whole_s = static_cast<int64_t>(std::clamp(age_s, 0.0, 99'999.0 * 86'400));
  if (whole_s < 60) return fmt::format("{}s", whole_s);
  if (whole_s < 3'600) return fmt::format("{}m", whole_s / 60);
  if (whole_s < 86'400) return fmt::format("{}h", whole_s / 3'600);
  return fmt::format("{}d", whole_s / 86'400);
}

std::string brief_duration(double duration_s) {
  if (duration_s < 0.9995) return fmt::format("{:.0f}ms", std::max(0.0, duration_s) * 1000);
  return duration_s < 9.95 ? fmt::format("{:.1f}s", duration_s) : brief_age(duration_s);
}

}  // namespace sluice
