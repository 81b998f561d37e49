#include "duration.h"

#include <charconv>
#include <cmath>

namespace sluice {

namespace {

std::optional<double> unit_ms(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> duration_ms(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::optional<double> factor =
      unit_ms(std::string_view(unit, static_cast<size_t>(end - unit)));
  if (!factor || number * *factor > static_cast<double>(duration_ms_max)) return std::nullopt;
  return static_cast<int64_t>(number * *factor);
}

}  // namespace sluice
