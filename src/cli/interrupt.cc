#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace sluice {
namespace {

// Written before the handler is installed, read by it only.
const char* farewell_text = "";
ExitCode sigint_code = ExitCode::interrupted;

// Only functions that POSIX allows in a signal handler.
void leave(int signal) {
  if (write(STDERR_FILENO, farewell_text, std::strlen(farewell_text)) < 0) {
    // Nobody is left to tell.
  }
  _exit(static_cast<int>(signal == SIGINT ? sigint_code : ExitCode::terminated));
}

}  // namespace

void end_on_interrupt(const char* farewell, ExitCode on_sigint) {
  farewell_text = farewell;
  sigint_code = on_sigint;
  struct sigaction action = {};
  action.sa_handler = leave;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace sluice
