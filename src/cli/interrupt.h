// What Ctrl-C does to a blocking command: it ends at once, leaving the terminal tidy. It is not for
// processes with an event loop, which drain.
#pragma once

#include "exit_code.h"

namespace sluice {

// From now on SIGINT and SIGTERM write `farewell` to stderr and end the process, SIGINT with
// `on_sigint`, SIGTERM with 143. The last call holds. `farewell` must live for ever (a literal);
// what stdout buffers is lost, so flush it.
void end_on_interrupt(const char* farewell, ExitCode on_sigint = ExitCode::interrupted);

}  // namespace sluice
