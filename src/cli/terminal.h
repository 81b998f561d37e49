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

// `text` for standard output: harmless on a terminal, elsewhere as it is. Lines stay.
std::string for_stdout(std::string_view text);

// `json`, which is valid, harmless (harmless_json), without spaces, and as a line on standard
// output: the one way there for JSON, whatever wrote it. Not flushed.
void print_json(std::string_view json);

// `text` harmless and as a line on standard output, for what the database says. Not flushed.
void print_line(std::string_view text);

// How many columns of a terminal `text`, UTF-8, takes: by wcwidth(), as ncurses and most terminals
// count. A Chinese character and an emoji take two, a combining mark none.
size_t columns_of(std::string_view text);

// `text` cut to at most `columns`, then with an ellipsis at its end; a mark stays with its letter.
std::string cut_to(std::string_view text, size_t columns);

// `text` in lines of at most `columns`, broken at blanks; all but the first are indented by two. A
// longer word stays whole, so that it can be copied.
std::string wrapped(std::string_view text, size_t columns);

// `text` harmless and wrapped to standard output's width, as one paragraph there. Not flushed.
void print_paragraph(std::string_view text);

// A number for a narrow column, with two figures at least: 9999, 12k, 3.4M.
std::string brief_count(double count);

}  // namespace sluice
