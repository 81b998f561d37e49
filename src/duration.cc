#include "duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "command_error.h"

namespace sluice {
namespace {

// The longer of two that begin alike comes first.
struct UnitName {
  std::string_view name;
  Duration::Unit unit;
};
constexpr std::array<UnitName, 8> unit_names = {{{"ms", Duration::Unit::ms},
                                                 {"us", Duration::Unit::us},
                                                 {"µs", Duration::Unit::us},
                                                 {"ns", Duration::Unit::ns},
                                                 {"d", Duration::Unit::d},
                                                 {"h", Duration::Unit::h},
                                                 {"m", Duration::Unit::m},
                                                 {"s", Duration::Unit::s}}};
constexpr std::array<double, 7> unit_ns = {1, 1e3, 1e6, 1e9, 60e9, 3'600e9, 86'400e9};
constexpr double longest_ns = duration_days_max * 86'400e9;

}  // namespace

double Duration::ns() const {
  return number * unit_ns[static_cast<size_t>(unit)];
}

std::optional<double> take_decimal(std::string_view& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error == std::errc::result_out_of_range) number = HUGE_VAL;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<Duration> take_duration(std::string_view& text) {
  const auto number = take_decimal(text);
  if (!number) return std::nullopt;
  for (const auto& [name, unit] : unit_names) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return Duration{*number, unit};
  }
  return std::nullopt;
}

int64_t parse_duration_ms(const std::string& text) {
  std::string_view rest = text;
  const auto duration = take_duration(rest);
  const bool is_whole = rest.empty() && text.find('.') == std::string::npos;
  if (duration && is_whole && duration->unit >= Duration::Unit::ms &&
      duration->ns() <= longest_ns) {
    return std::llround(duration->ns() / 1e6);
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
