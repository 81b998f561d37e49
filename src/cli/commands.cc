#include "cli/command.h"

namespace sluice {

Action configure_up(CLI::App& app);
Action configure_psql(CLI::App& app);
Action configure_migrate(CLI::App& app);
Action configure_worker(CLI::App& app);

namespace {

constexpr Command command_table[] = {
    {"up", "Private PostgreSQL, schema, worker and API in one command, for one machine",
     configure_up},
    {"psql", "psql on the same database; all arguments are psql's", configure_psql, true},
    {"migrate", "Bring the database's schema to this binary's version", configure_migrate},
    {"worker", "Serve models: claim tasks, call their backends, record the results",
     configure_worker},
};

}  // namespace

std::span<const Command> commands() {
  return command_table;
}

}  // namespace sluice
