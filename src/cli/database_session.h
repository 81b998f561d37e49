// The database as one blocking command sees it: connected, its schema checked, and every error of
// it turned into an exit code and one line. It does not retry: a command that is broken off says
// so.
#pragma once

#include <functional>
#include <memory>
#include <pqxx/transaction>
#include <utility>

#include "cli/command.h"
#include "db/database_url.h"

namespace sluice {

// Runs `work` on a connection to globals.database_url and returns what it returns.
// Throws CommandError: database_unreachable (also when the connection breaks in the middle),
// schema_mismatch, or failure with PostgreSQL's message and hint.
ExitCode with_database(const GlobalOptions& globals,
                       const std::function<ExitCode(pqxx::connection&)>& work);

// The same for a command that judges the schema itself.
ExitCode with_connection(const GlobalOptions& globals,
                         const std::function<ExitCode(pqxx::connection&)>& work);

// with_database as the action of a command: `run` with its options.
template <class Options>
Action database_action(std::shared_ptr<Options> options,
                       ExitCode (*run)(pqxx::connection&, const Options&)) {
  return [options = std::move(options), run](const GlobalOptions& globals) {
    return with_database(globals,
                         [&](pqxx::connection& database) { return run(database, *options); });
  };
}

// with_database for `work` in one transaction, which is committed after it: ExitCode::ok.
ExitCode in_transaction(const GlobalOptions& globals, const std::function<void(pqxx::work&)>& work);

// Runs `work`, which has a connection of its own, with the same errors.
void with_errors_in_words(const std::function<void()>& work);

}  // namespace sluice
