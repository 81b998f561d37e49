#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
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

// The first code point of `rest`. What is no UTF-8, or unknown to libc, takes a column.
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
// All that Unicode calls a control, or a bidirectional control.
constexpr CodePoints controls[] = {
    {{"\0", 1}, "\x1f"},  {"\x7f", "\x7f"},
    {"\u0080", "\u009f"},  // C1: some terminals take them as escape sequences
    {"\u061c", "\u061c"},  // the marks and embeddings of both directions make a line look as if
    {"\u200e", "\u200f"},  // it said something else
    {"\u202a", "\u202e"}, {"\u2066", "\u2069"},
};

// Bytes of the control that `rest` begins with; 0: it begins with none.
size_t control_bytes(std::string_view rest) {
  for (const auto& [first, last] : controls) {
    const std::string_view begun = rest.substr(0, first.size());
    if (begun.size() == first.size() && first <= begun && begun <= last) return begun.size();
  }
  return 0;
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
