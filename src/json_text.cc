#include "json_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sluice {

namespace {

constexpr char hex[] = "0123456789abcdef";

// The escape of a character; no bytes: it stands for itself.
struct Escape {
  std::array<char, 7> text{};
  uint8_t bytes = 0;
};

constexpr Escape escape_of(unsigned char c) {
  constexpr std::string_view controls_with_a_letter = "\b\t\n\f\r";
  constexpr std::string_view letters = "btnfr";
  if (c == '"' || c == '\\') return {{'\\', static_cast<char>(c)}, 2};
  const size_t place = controls_with_a_letter.find(static_cast<char>(c));
  if (place != std::string_view::npos) return {{'\\', letters[place]}, 2};
  if (c < 0x20) return {{'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6};
  return {};
}

constexpr std::array<Escape, 256> escapes = [] {
  std::array<Escape, 256> table{};
  for (size_t c = 0; c < table.size(); ++c) table[c] = escape_of(static_cast<unsigned char>(c));
  return table;
}();

const Escape& escape_in_table(char c) {
  return escapes[static_cast<unsigned char>(c)];
}

// Characters that are looked at together, without a branch among them: compilers make vector
// instructions of that, and a prompt is looked through in a tenth of the time.
constexpr ptrdiff_t block = 32;

// The first character that is to be escaped.
const char* find_special(const char* at, const char* end) {
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
  return std::find_if(at, end, [](char c) { return escape_in_table(c).bytes != 0; });
}

// Appends the characters up to the next one that passes, and returns that: together, for a text may
// have nothing else.
const char* append_specials(std::string& out, const char* at, const char* end) {
  std::array<char, 64 * sizeof(Escape)> escaped;  // NOLINT: written before it is read
  size_t bytes = 0;
  for (; at != end && bytes + sizeof(Escape) <= escaped.size(); ++at) {
    const Escape& escape = escape_in_table(*at);
    if (escape.bytes == 0) break;
    std::memcpy(escaped.data() + bytes, escape.text.data(), escape.text.size());
    bytes += escape.bytes;
  }
  out.append(escaped.data(), bytes);
  return at;
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
  append_json_escaped(out, text);
  out += '"';
}

// In runs, as most text has few of them.
void append_json_escaped(std::string& out, std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const char* special = find_special(at, end);
    out.append(at, special);
    at = append_specials(out, special, end);
  }
}

size_t json_escaped_bytes(std::string_view text) {
  size_t bytes = text.size();
  for (; text.size() >= block; text.remove_prefix(block)) {
    uint8_t more = 0;  // at most 5 for each
    for (ptrdiff_t i = 0; i < block; ++i) {
      const auto c = static_cast<unsigned char>(text[static_cast<size_t>(i)]);
      const bool has_letter = c == '\b' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
      more =
          static_cast<uint8_t>(more + (c < 0x20) * 5 - has_letter * 4 + (c == '"') + (c == '\\'));
    }
    bytes += more;
  }
  for (const char c : text) {
    const size_t escaped = escape_in_table(c).bytes;
    bytes += escaped == 0 ? 0 : escaped - 1;
  }
  return bytes;
}

}  // namespace sluice
