// FdWatch tells when a file descriptor can be read or written. It owns its place in the event loop,
// never the descriptor. Destroy it before the owner closes the descriptor: otherwise a new
// descriptor with the same number would get its events.
//
// Thread rule: loop thread only. It may be destroyed from within its own callback. The loop
// outlives it.
#pragma once

#include <functional>
#include <memory>

namespace sluice {

class Loop;

// What it means to a user if none can be made.
inline constexpr const char* cannot_watch_text = "the system watches no further connection";

class FdWatch final {
 public:
  // Level-triggered: called as long as the state lasts. An error shows as both, so that the next
  // read or write finds it; but once: who still has bytes before it calls want() again.
  using OnReady = std::function<void(bool readable, bool writable)>;

  // Watches nothing until want(). Throws std::system_error, also if `fd` is watched already.
  FdWatch(Loop& loop, int fd, OnReady on_ready);

  void want(bool read, bool write);

 private:
  struct Handle;
  struct Close {
    void operator()(Handle* handle) const;
  };
  std::unique_ptr<Handle, Close> handle_;
};

}  // namespace sluice
