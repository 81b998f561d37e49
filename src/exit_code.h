// The exit codes that users script against; the list is part of the command line's contract.
#pragma once

namespace sluice {

enum class ExitCode : int {
  ok = 0,
  failure = 1,               // the command failed, or found something
  usage = 2,                 // the command line is wrong
  bad_configuration = 3,     // the environment, a file or the database cannot be used as it is
  database_unreachable = 4,  // no connection
  schema_mismatch = 5,       // the database's schema is outside the range this binary serves
  interrupted = 130,         // forced by a second SIGINT
  terminated = 143,          // forced by a second SIGTERM
};

}  // namespace sluice
