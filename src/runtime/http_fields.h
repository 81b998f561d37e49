// Name and value pairs of HTTP: the headers and query arguments of both our client and our server.
// Owns nothing else; header names are in lower case, argument names as sent.
#pragma once

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

// ASCII only, whatever the locale.
inline std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace sluice
