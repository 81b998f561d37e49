// How a blocking command gives up: an exit code and one line for people. The line names the value
// that is wrong and the way out, and never holds a password, a prompt or an answer.
// Thread rule: none. Never thrown across the event loop; run_command_line() catches it.
#pragma once

#include <stdexcept>
#include <string>

#include "exit_code.h"

namespace sluice {

class CommandError final : public std::runtime_error {
 public:
  CommandError(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace sluice
