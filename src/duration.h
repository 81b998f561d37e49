// Durations as people write them: 10ms, 5s, 2m, 1h. It owns the notation and nothing else; SQL has
// its own (interval).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// A number of one unit.
struct Duration {
  enum class Unit { ns, us, ms, s, m, h, d };
  double number = 0;
  Unit unit = Unit::s;

  double ns() const;
  bool operator==(const Duration&) const = default;
};

// Takes a decimal number off the front: no sign, no exponent. Infinite: it is too large.
std::optional<double> take_decimal(std::string_view& text);

// Takes a decimal number and the unit right behind it off the front.
std::optional<Duration> take_duration(std::string_view& text);

// The longest duration taken, in days: a longer one is a slip of the finger.
inline constexpr int64_t duration_days_max = 3650;

// A whole number, 0 or more, and one of ms, s, m, h, d. Throws CommandError(usage) naming `text`.
int64_t parse_duration_ms(const std::string& text);

// An age in seconds for a narrow table column: 0s, 59s, 12m, 5h, 3d. Never longer than 6
// characters.
std::string brief_age(double age_s);

// How long a call took, in seconds, with two figures at least: 0ms, 340ms, 1.2s, 59s, 12m. Never
// longer than 6 characters.
std::string brief_duration(double duration_s);

}  // namespace sluice
