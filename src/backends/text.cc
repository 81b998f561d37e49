#include "backends/text.h"

#include <simdjson.h>

namespace sluice {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// The length of the valid UTF-8 sequence at the start of `text`, or 0. Follows Unicode's table 3-7.
size_t sequence_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t bytes = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    bytes = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    bytes = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    bytes = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (bytes == 0 || text.size() < bytes || byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return bytes;
}

}  // namespace

std::string harmless_text(std::string text) {
  if (text.find('\0') == std::string::npos && simdjson::validate_utf8(text.data(), text.size())) {
    return text;
  }
  std::string harmless;
  harmless.reserve(text.size());
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t bytes = rest.front() == '\0' ? 0 : sequence_bytes(rest);
    harmless += bytes == 0 ? replacement : rest.substr(0, bytes);
    rest.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return harmless;
}

std::string error_text(std::string_view text, size_t bytes_max) {
  std::string harmless = harmless_text(std::string(text.substr(0, bytes_max)));
  for (char& c : harmless) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return harmless;
}

}  // namespace sluice
