// Screen has the terminal as long as it lives: its alternate screen, keys without Enter, no cursor.
// It shows lines and waits for keys; it knows nothing of what they say.
//
// Blocking. The terminal is as it was when a Screen is gone, and after SIGINT (exit code 0: that is
// how one leaves a screen) and SIGTERM (143), which end the process at once.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "cli/top_frame.h"

namespace sluice {

class Screen final {
 public:
  // At most one at a time. Null where there is none: standard input or output is no terminal, or
  // its type (TERM) is not known.
  static std::unique_ptr<Screen> open();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  FrameSize size() const;
  // Each line at its row, cut to the width; the texts must be free of control characters.
  void show(const std::vector<FrameLine>& lines);

  enum class Event {
    quit,
    help,
    sort,
    up,
    down,
    page_up,
    page_down,
    first,
    last,
    resized,
    time_out
  };
  // The next key that means something, or time_out at `deadline`; quit also when the terminal is
  // gone.
  Event wait_until(std::chrono::steady_clock::time_point deadline);

 private:
  struct Terminal;

 public:
  explicit Screen(std::unique_ptr<Terminal> terminal);  // open() alone has one

 private:
  std::unique_ptr<Terminal> terminal_;
};

}  // namespace sluice
