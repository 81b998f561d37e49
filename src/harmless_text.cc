#include "harmless_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace sluice {
namespace {

struct CodePoints {
  std::string_view first;
  std::string_view last;  // as long, and the same but for its last byte
};
// All that Unicode calls a control, and of its format characters (Cf) those that reorder or hide
// text. The joiners U+200C and U+200D stay: Persian words and emoji are made with them.
constexpr CodePoints controls[] = {
    {{"\0", 1}, "\x1f"},          {"\x7f", "\x7f"},
    {"\u0080", "\u009f"},          // C1: some terminals take them as escape sequences
    {"\u00ad", "\u00ad"},          // the soft hyphen
    {"\u061c", "\u061c"},          // a mark of direction, as U+200E and U+200F
    {"\u180e", "\u180e"},          // spaces of no width, as U+200B, U+2060 and U+FEFF
    {"\u200b", "\u200b"},          //
    {"\u200e", "\u200f"},          //
    {"\u2028", "\u202e"},          // separators of lines and paragraphs; embeddings of directions
    {"\u2060", "\u206f"},          // isolated directions, and operators that nobody sees
    {"\ufeff", "\ufeff"},          //
    {"\ufff9", "\ufffb"},          // annotations
    {"\U000e0000", "\U000e003f"},  // tags: ASCII that nobody sees
    {"\U000e0040", "\U000e007f"},
};

// Bytes of the control that `rest` begins with; 0: it begins with none.
size_t control_bytes(std::string_view rest) {
  if (rest.front() >= ' ' && rest.front() <= '~') return 0;  // as most text
  for (const auto& [first, last] : controls) {
    const std::string_view begun = rest.substr(0, first.size());
    if (begun.size() == first.size() && first <= begun && begun <= last) return begun.size();
  }
  return 0;
}

// The code point that `text`, one of valid UTF-8, is.
uint32_t code_point_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (text.size() == 1) return first;
  uint32_t code_point = first & (0xffU >> (text.size() + 1));
  for (const char c : text.substr(1)) {
    code_point = code_point << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  }
  return code_point;
}

// As JSON writes it: above U+FFFF as two surrogates.
std::string json_escape(uint32_t code_point) {
  if (code_point < 0x10000) return fmt::format("\\u{:04x}", code_point);
  const uint32_t rest = code_point - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
}

}  // namespace

std::string harmless(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    const size_t bytes = control_bytes(text);
    if (c == '\n' || c == '\t') {
      out += keep_lines ? c : ' ';
    } else {
      out += bytes > 0 ? '?' : c;
    }
    text.remove_prefix(std::max(bytes, size_t{1}));
  }
  return out;
}

std::string harmless_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = control_bytes(text);
    if (bytes == 1) {
      out += fmt::format("\\x{:02x}", text.front());
    } else if (bytes > 1) {
      out += json_escape(code_point_of(text.substr(0, bytes)));
    } else {
      out += text.front();
    }
    text.remove_prefix(std::max(bytes, size_t{1}));
  }
  return out;
}

std::string harmless_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const bool is_space = std::string_view("\t\n\r").find(json.front()) != std::string_view::npos;
    const size_t bytes = is_space ? 0 : control_bytes(json);
    if (bytes > 0) {
      out += json_escape(code_point_of(json.substr(0, bytes)));
    } else {
      out += json.front();
    }
    json.remove_prefix(std::max(bytes, size_t{1}));
  }
  return out;
}

}  // namespace sluice
