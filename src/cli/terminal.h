// Text on its way to a terminal of 80 columns: made harmless and cut to size. It does not write.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// What every terminal shows; tables and progress never exceed it.
inline constexpr size_t terminal_columns = 80;

// `text` with every control character (C0, DEL, C1) as '?': a model's answer must not drive
// somebody's terminal. Newlines and tabs stay if `keep_lines`, else they become spaces.
std::string harmless(std::string_view text, bool keep_lines);

// How many columns `text` takes, counting each code point of UTF-8 as one.
size_t columns_of(std::string_view text);

// `text` cut to at most `columns`, the last one then an ellipsis.
std::string cut_to(std::string_view text, size_t columns);

}  // namespace sluice
