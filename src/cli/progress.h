// One line on stderr that shows how far a command is, where stderr is a terminal; nothing
// elsewhere. It owns that line only: call clear() before writing anything else to the terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

class Progress final {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A bar of done / total (none while total is 0, unknown) and `text`. At most 10 times a second;
  // more calls cost a look at the clock.
  void show(uint64_t done, uint64_t total, std::string_view text);

  // Wipes the line; the next show() draws it again.
  void clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_{};
};

// The line without control characters, at most 80 columns.
std::string progress_line(uint64_t done, uint64_t total, std::string_view text);

}  // namespace sluice
