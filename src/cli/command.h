// A command for the command line: a name, a line of help, its flags and its action. It does not
// parse and does not exit; command_line.cc does both.
//
// To add a command: a file src/cli/NAME.cc with its configure function, and its two lines in
// commands.cc (declaration and table row).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/syntax.h"
#include "exit_code.h"

namespace sluice {

// Flags that every command takes, before or after its name.
struct GlobalOptions {
  std::string database_url;        // empty: libpq's PG* variables and defaults
  std::string direct_url;          // for LISTEN and migrations; equals database_url unless given
  std::string log_level = "info";  // trace, debug, info, warning, error, off
  std::string log_format = "text";
  std::vector<std::string> verbatim;  // what followed the name of a verbatim command
};

// Runs after parsing. Blocking commands may throw CommandError.
using Action = std::function<ExitCode(const GlobalOptions&)>;

struct Command {
  const char* name;
  const char* help;
  // Declares the flags and returns the action; what they bind must live as long as the action does.
  // Each flag --some-name gets the environment twin SLUICE_SOME_NAME by itself.
  Action (*configure)(CommandSyntax syntax);
  // Everything after the name is a wrapped program's: unread, in GlobalOptions::verbatim.
  bool verbatim = false;
  bool hidden = false;  // for programs: not in --help
};

// Footer of the help of commands that export spans.
inline constexpr const char* spans_footer =
    "\nSpans: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME; see "
    "docs/events_and_traces.md.";

// In the order of --help.
std::span<const Command> commands();

}  // namespace sluice
