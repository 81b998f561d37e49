// The command line as a whole: global flags, the table of commands, help, errors and exit codes. It
// does not know what any command does.
#pragma once

#include "cli/command_tree.h"

namespace sluice {

// All commands with all their flags.
CommandDescription describe_command_line();

// Parses, runs the one command named, and returns the exit code of the process. Never throws; every
// error is one line on stderr that begins with "sluice: ".
int run_command_line(int argc, char** argv);

}  // namespace sluice
