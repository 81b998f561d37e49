#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <cwchar>

namespace sluice {
namespace {

// Our texts are UTF-8, whatever the user's language; wcwidth() and mbrtowc() ask the thread's
// locale.
class Utf8 final {
 public:
  Utf8() : before_(uselocale(utf8())) {}
  ~Utf8() { uselocale(before_); }
  Utf8(const Utf8&) = delete;
  Utf8& operator=(const Utf8&) = delete;

 private:
  static locale_t utf8() {
    static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;  // null, where libc has none, changes nothing
  }
  locale_t before_;
};

struct Glyph {
  size_t bytes = 1;
  size_t columns = 1;
};

// The first code point of `rest`. A byte that is no UTF-8, or a character unknown to libc, takes
// one column.
Glyph first_glyph(std::string_view rest) {
  wchar_t code_point = 0;
  std::mbstate_t state = {};
  const size_t bytes = std::mbrtowc(&code_point, rest.data(), rest.size(), &state);
  if (bytes == 0 || bytes > rest.size()) return {};
  const int columns = wcwidth(code_point);
  return {bytes, columns < 0 ? 1 : static_cast<size_t>(columns)};
}

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

size_t terminal_width() {
  const char* const said = std::getenv("COLUMNS");
  if (said != nullptr && std::atoi(said) > 0) return static_cast<size_t>(std::atoi(said));
  if (isatty(STDOUT_FILENO) == 0) return unlimited_columns;
  winsize size = {};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : terminal_columns;
}

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

std::string for_stdout(std::string_view text) {
  static const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  return is_terminal ? harmless(text, true) : std::string(text);
}

std::string harmless_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const bool may_be_space = json.front() < 0x20 && json.front() >= 0;  // between its values
    const size_t bytes = may_be_space ? 0 : control_bytes(json);
    if (bytes > 0) {
      out += json_escape(code_point_of(json.substr(0, bytes)));
    } else {
      out += json.front();
    }
    json.remove_prefix(std::max(bytes, size_t{1}));
  }
  return out;
}

void print_json(std::string_view json) {
  fmt::print("{}\n", harmless_json(json));
}

size_t columns_of(std::string_view text) {
  const Utf8 locale;
  size_t columns = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return columns;
}

std::string cut_to(std::string_view text, size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  const Utf8 locale;
  size_t kept = 0;
  size_t end = 0;
  while (true) {
    const Glyph glyph = first_glyph(text.substr(end));
    if (kept + glyph.columns >= columns) break;  // the last column is the ellipsis's
    kept += glyph.columns;
    end += glyph.bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string brief_count(double count) {
  if (count < 9'999.5) return fmt::format("{:.0f}", count);
  for (const char* unit = "kMG"; *unit != '\0'; ++unit) {
    count /= 1'000;
    if (count < 9.95) return fmt::format("{:.1f}{}", count, *unit);
    if (count < 999.5 || unit[1] == '\0') return fmt::format("{:.0f}{}", count, *unit);
  }
  return "";
}

}  // namespace sluice
