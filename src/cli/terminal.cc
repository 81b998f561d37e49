#include "cli/terminal.h"

#include <algorithm>

namespace sluice {
namespace {

bool begins_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

// U+0080 to U+009F are 0xc2 0x80 to 0xc2 0x9f; some terminals take them as escape sequences.
bool is_c1_control(std::string_view rest) {
  return rest.size() > 1 && rest[0] == '\xc2' && static_cast<unsigned char>(rest[1]) <= 0x9f;
}

}  // namespace

std::string harmless(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\t') {
      out += keep_lines ? c : ' ';
    } else if (is_c1_control(text.substr(i))) {
      out += '?';
      ++i;
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == '\x7f' ? '?' : c;
    }
  }
  return out;
}

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_code_point));
}

std::string cut_to(std::string_view text, size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  size_t kept = 0;
  size_t end = 0;
  while (end < text.size()) {
    if (begins_code_point(text[end]) && ++kept == columns) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace sluice
