// Writing JSON by hand where a library would be heavier than the text. It escapes strings; it does
// not parse (simdjson does) and does not check UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// `text` as a JSON string with its quotes. Bytes above 0x7f pass unchanged.
std::string json_string(std::string_view text);

// The same at the end of `out`: a copy less.
void append_json_string(std::string& out, std::string_view text);

// Without the quotes: a text may be escaped in pieces, cut anywhere.
void append_json_escaped(std::string& out, std::string_view text);

// Bytes of the escaped text: at most six times as many.
size_t json_escaped_bytes(std::string_view text);

}  // namespace sluice
