// Durations as users type them on the command line: 10ms, 5s, 2m, 1h. Knows no calendar and no
// PostgreSQL interval.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

// The longest duration a flag may name: a year.
inline constexpr int64_t duration_ms_max = int64_t{365} * 24 * 3600 * 1000;

// A number, with decimals if need be, and one of ms, s, m, h. nullopt for anything else, for less
// than 0 and for more than duration_ms_max. Fractions of a millisecond are dropped.
std::optional<int64_t> duration_ms(std::string_view text);

}  // namespace sluice
