// Loop owns the event loop of the process: it waits for descriptors, posted functions and operating
// system signals. It keeps no time (that is Clock) and resumes no coroutine (that is ReadyQueue).
//
// Thread rule: everything on the thread that calls run(), stop() and post() included. Ownership:
// destroy everything that watches through it first. Making one raises the limit of open files to
// what the system allows and ignores SIGPIPE.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

struct uv_loop_s;

namespace sluice {

class Loop final {
 public:
  Loop();  // throws std::system_error when the system gives no loop
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Until stop(); may be called again. A stop() before run() makes it return at once.
  void run();
  void stop();

  // Calls `fn` soon, after the current callback and what is ready now.
  void post(std::function<void()> fn);

  // Counts the turns: what is ready is called once in each.
  uint64_t turn() const;

  // Calls `fn` for each `signum` from now on (SIGTERM, SIGINT ...).
  void on_signal(int signum, std::function<void()> fn);

  // How many files this process may have open, once one was made.
  static int64_t open_files_max();

  // For src/runtime only.
  uv_loop_s* raw();

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace sluice
