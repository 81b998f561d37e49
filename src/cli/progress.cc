#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/terminal.h"
#include "harmless_text.h"

namespace sluice {
namespace {

constexpr auto interval = std::chrono::milliseconds(100);
constexpr uint64_t bar_columns = 30;

bool is_terminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

std::string progress_line(uint64_t done, uint64_t total, std::string_view text) {
  if (total == 0) return cut_to(harmless(text, false), terminal_columns);
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto full = static_cast<size_t>(share * static_cast<double>(bar_columns));
  const std::string bar = std::string(full, '#') + std::string(bar_columns - full, '.');
  const int percent = static_cast<int>(share * 100);
  return cut_to(fmt::format("[{}] {:3}% {}", bar, percent, harmless(text, false)),
                terminal_columns);
}

Progress::Progress() : enabled_(is_terminal()) {}

void Progress::show(uint64_t done, uint64_t total, std::string_view text) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + interval;
  drawn_ = true;
  fmt::print(stderr, "\r{}\x1b[K", progress_line(done, total, text));
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace sluice
