// The signals that end a long-running command.
#pragma once

#include <functional>

#include "exit_code.h"
#include "runtime/loop.h"

namespace sluice {

// Whether the process was started to ignore it, as by nohup.
bool is_ignored(int signum);

// From now on the first of SIGTERM, SIGINT and SIGHUP (the terminal was closed) calls `drain`, each
// later SIGTERM or SIGINT `force` with the code to exit with. An ignored SIGHUP stays ignored. Both
// are called on the loop's thread.
void on_stop_signals(Loop& loop, std::function<void()> drain, std::function<void(ExitCode)> force);

}  // namespace sluice
