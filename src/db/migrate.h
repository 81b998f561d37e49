// Brings a database to the schema of this binary: migrations once each, functions whenever their
// text changed. It owns the bookkeeping in sluice.migration and sluice.function_set (both made by
// migration 0001) and nothing else; what the SQL does is the SQL's business.
//
// Blocking; errors are CommandError. Any number of processes may run it at once: a session advisory
// lock lets one work while the others wait, and they then find nothing to do.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database_url.h"
#include "db/embedded_sql.h"
#include "db/roles.h"
#include "db/served_schema.h"

namespace sluice {

// Sorted by name; migrations are named NNNN_what_it_does.sql, NNNN being the version.
struct SqlSet {
  std::span<const SqlFile> migrations;
  std::span<const SqlFile> functions;
};
SqlSet embedded_sql();

// How long to wait for another process's migration.
inline constexpr int migration_wait_ms_max = 60'000;

struct MigrateRequest {
  // Of the roles that a new schema gets: PREFIX_owner owns it and grants to the other four. Empty:
  // it belongs to the user who makes it, with no grant to anybody. nullopt: the default, or what
  // the schema has.
  std::optional<std::string> role_prefix = std::nullopt;
  int wait_ms_max = migration_wait_ms_max;
  // Told who uses the schema's tables when a lock on one is not to be had at once.
  std::function<void(std::string_view)> on_wait = [](std::string_view) {};
};

// Applies what is missing and tells `on_applied` the name of each file, or of the set of functions.
// Makes the roles first, as far as the user may.
// Leaves a newer schema that serves this binary, and a newer release's functions, as they are.
// Throws bad_configuration (not UTF8, a server older than 15, or rights are missing: the statements
// that an administrator has to run are said), schema_mismatch (the database is newer and does not
// serve this binary, is older than the oldest that can be upgraded, 22, or a migration that ran
// there has another text here), failure (the SQL failed, or a lock was not to be had).
void migrate_up(pqxx::connection& connection, const SqlSet& set,
                const std::function<void(std::string_view)>& on_applied,
                const MigrateRequest& request = {});

struct MigrationState {
  int version = 0;
  std::string name;
  std::optional<std::string> applied_at;  // nullopt: pending
  bool known = true;                      // false: the database has it, this binary does not
  bool edited = false;                    // it ran with another text than this binary has
};
struct SchemaState {
  std::vector<MigrationState> migrations;  // ascending by version
  bool functions_current = false;
  bool functions_newer = false;  // they are a newer release's
  SchemaFacts facts;
};
SchemaState schema_state(pqxx::connection& connection, const SqlSet& set);

// Everything migrate_up would run on an empty database, bookkeeping included, as a script for psql.
std::string migration_script(const SqlSet& set,
                             const std::string& role_prefix = std::string(default_role_prefix));

// The schemas that a binary with this SQL knows and works with.
SchemaRange known_schemas(const SqlSet& set);

// For every other command: throws CommandError(schema_mismatch) unless this binary works with the
// schema of the database as it is.
void check_schema(pqxx::connection& connection, const SqlSet& set);

}  // namespace sluice
