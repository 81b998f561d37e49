#include "json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sluice {

std::string json_string(std::string_view text) {
  const auto is_special = [](char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
  };
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  // In runs, as most text has few of them.
  for (const char* rest = text.begin();;) {
    const char* special = std::find_if(rest, text.end(), is_special);
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
  return out += '"';
}

}  // namespace sluice
