// Writes text into JSON. It does not validate UTF-8: what came out of a JSON parser is valid
// already.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace sluice {

// `text` with its quotes.
inline std::string json_quote(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20) {
      quoted += "\\u00";
      quoted += {hex[byte >> 4], hex[byte & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace sluice
