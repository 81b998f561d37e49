// Name and value pairs of HTTP: the headers and query arguments of both our client and our server,
// and how their texts are read. Owns nothing else; header names are in lower case, argument names
// as sent.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

// The value of the first field of that name, or `otherwise`. Lives as long as `fields`.
inline std::string_view find_field(const HttpFields& fields, std::string_view name,
                                   std::string_view otherwise = {}) {
  for (const auto& [field_name, value] : fields) {
    if (field_name == name) return value;
  }
  return otherwise;
}

// `text` without any of `spaces` around it.
inline std::string_view trim(std::string_view text, std::string_view spaces = " \t\r\n") {
  const size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// Of a token, as names of headers are (RFC 9110).
inline bool is_token_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// Of digits alone.
inline bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// ASCII only, whatever the locale.
inline char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = to_lower(c);
  return lower;
}

// `lower`: in lower case.
inline bool is_in_any_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return to_lower(a) == b; });
}

inline bool begins_in_any_case(std::string_view text, std::string_view lower) {
  return is_in_any_case(text.substr(0, lower.size()), lower);
}

}  // namespace sluice
