// One child process: started, watched, signalled and reaped here. It ends with us however we end,
// even at kill -9; this class does not know what it runs. Thread rule: the thread that starts a
// child must outlive it (the kernel ties it to the thread).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "db/account.h"

namespace sluice {

struct ChildOptions {
  std::vector<std::string> argv;   // argv[0]: absolute path
  std::optional<Account> account;  // nullopt: stay who we are
  int output_fd;                   // stdout and stderr; stays the caller's
  int death_signal;                // what it receives when we die
};

class ChildProcess final {
 public:
  // Runs with an environment of its own, in its own session: a terminal's Ctrl-C is for us alone.
  // Throws std::system_error. A program that cannot be executed ends with status 127.
  explicit ChildProcess(const ChildOptions& options);
  // Kills and reaps what still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Readable once the child has ended; owned by this object.
  int exit_fd() const { return exit_fd_; }
  // Waits; the wait status, or nullopt if it still runs after timeout_ms.
  std::optional<int> wait(int timeout_ms);
  void send(int signal_number) const;

 private:
  pid_t pid_ = -1;
  int exit_fd_ = -1;
  std::optional<int> status_;
};

}  // namespace sluice
