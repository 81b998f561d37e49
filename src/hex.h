// Bytes as lower-case hexadecimal digits: digests, random secrets. Nothing else.
#pragma once

#include <span>
#include <string>

namespace sluice {

inline std::string hex(std::span<const unsigned char> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace sluice
