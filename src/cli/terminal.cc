#include "cli/terminal.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cwchar>

#include "harmless_text.h"

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

}  // namespace

size_t terminal_width() {
  const char* const said = std::getenv("COLUMNS");
  if (said != nullptr && std::atoi(said) > 0) return static_cast<size_t>(std::atoi(said));
  if (isatty(STDOUT_FILENO) == 0) return unlimited_columns;
  winsize size = {};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : terminal_columns;
}

std::string for_stdout(std::string_view text) {
  static const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  return is_terminal ? harmless(text, true) : std::string(text);
}

void print_json(std::string_view json) {
  const std::string spaced = harmless_json(json);
  std::string compact(spaced.size(), '\0');
  size_t size = 0;
  if (simdjson::minify(spaced.data(), spaced.size(), compact.data(), size) != simdjson::SUCCESS) {
    size = spaced.copy(compact.data(), spaced.size());
  }
  fmt::print("{}\n", std::string_view(compact).substr(0, size));
}

void print_line(std::string_view text) {
  fmt::print("{}\n", harmless(text, false));
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

std::string wrapped(std::string_view text, size_t columns) {
  constexpr std::string_view indent = "  ";
  std::string out;
  size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const size_t width = columns_of(word);
    if (used == 0) {
      used = width;
    } else if (used + 1 + width <= columns) {
      out += ' ';
      used += 1 + width;
    } else {
      (out += '\n') += indent;
      used = indent.size() + width;
    }
    out += word;
  }
  return out;
}

void print_paragraph(std::string_view text) {
  fmt::print("{}\n", wrapped(harmless(text, false), terminal_width()));
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
