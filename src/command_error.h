// How a blocking command fails: an exit code and one line for people. The line names the wrong
// value and what to do, and never contains a password, a prompt or an answer.
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
