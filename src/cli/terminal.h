// Makes text harmless for a terminal and cuts it to size.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace sluice {

// The width that every terminal has.
inline constexpr size_t terminal_columns = 80;

// For lines that nobody looks at on a terminal: what is piped is not cut.
inline constexpr size_t unlimited_columns = std::numeric_limits<size_t>::max();

// Of a line on standard output: what the variable COLUMNS says, else its terminal's width; without
// either unlimited_columns.
size_t terminal_width();

// `text` with every control character (C0, DEL, C1, those of bidirectional text, separators of
// lines that are no newline, and what is invisible but for the joiners of words and emoji) as '?':
// a model's answer must neither drive somebody's terminal, nor show in another order than it has,
// nor hide anything. Newlines and tabs stay if `keep_lines`, else they become spaces.
std::string harmless(std::string_view text, bool keep_lines);
// `text` for standard output: harmless on a terminal, elsewhere as it is. Lines stay.
std::string for_stdout(std::string_view text);

// `json`, which is valid, with the same characters as escapes (\u and four digits): it means what
// it meant.
std::string harmless_json(std::string_view json);

// `json` so, as a line on standard output: the one way there for JSON. Not flushed.
void print_json(std::string_view json);

// How many columns of a terminal `text`, UTF-8, takes: by wcwidth(), as ncurses and most terminals
// count. A Chinese character and an emoji take two, a combining mark none.
size_t columns_of(std::string_view text);

// `text` cut to at most `columns`, then with an ellipsis at its end; a mark stays with its letter.
std::string cut_to(std::string_view text, size_t columns);

// A number for a narrow column, with two figures at least: 9999, 12k, 3.4M.
std::string brief_count(double count);

}  // namespace sluice
