// Makes text of others harmless to whoever looks at it on a terminal or in a log.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// `text` with every control character (C0, DEL, C1, those of bidirectional text, separators of
// lines that are no newline, and what is invisible but for the joiners of words and emoji) as '?':
// a model's answer must neither drive somebody's terminal, nor show in another order than it has,
// nor hide anything. Newlines and tabs stay if `keep_lines`, else they become spaces.
std::string harmless(std::string_view text, bool keep_lines);
// `text` on one line, with the same characters, and newlines and tabs, as escapes: \x and two
// digits, or \u and four.
std::string harmless_line(std::string_view text);

// `json` with the same characters as escapes (\u and four digits), but for tabs and ends of lines
// between its values: what is valid means what it meant.
std::string harmless_json(std::string_view json);

}  // namespace sluice
