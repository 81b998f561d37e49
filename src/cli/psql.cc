#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "cli/command.h"
#include "command_error.h"
#include "db/database_url.h"

namespace sluice {
namespace {

ExitCode run(const GlobalOptions& globals) {
  export_database(globals.database_url);
  // Errors of Sluice end with nine lines of where they were raised. The user's own arguments and
  // ~/.psqlrc come later, and hold.
  std::vector<std::string> arguments{"psql", "-v", "SHOW_CONTEXT=never"};
  arguments.insert(arguments.end(), globals.verbatim.begin(), globals.verbatim.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execvp("psql", argv.data());
  throw CommandError(
      ExitCode::bad_configuration,
      std::string("psql cannot be run (") + std::strerror(errno) + "): install postgresql-client");
}

}  // namespace

Action configure_psql(CommandSyntax) {
  return run;
}

}  // namespace sluice
