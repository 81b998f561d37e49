#include "db/migrate.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <pqxx/pqxx>

#include "cli/command.h"
#include "cli/syntax.h"
#include "cli/terminal.h"
#include "counted.h"
#include "db/database_url.h"
#include "db/strangers.h"
#include "harmless_text.h"
#include "json_text.h"

namespace sluice {
namespace {

struct MigrateOptions {
  std::string what = "up";
  bool json = false;
  bool verbose = false;
  bool without_roles = false;
  std::optional<std::string> role_prefix;

  std::optional<std::string> wanted_prefix() const { return without_roles ? "" : role_prefix; }
};

void apply_missing(pqxx::connection& connection, const MigrateOptions& options) {
  const SqlSet set = embedded_sql();
  size_t applied = 0;
  bool one_by_one = true;  // an empty database gets one line for all
  migrate_up(connection, set,
             [&](std::string_view name) {
               const bool is_first = !set.migrations.empty() && name == set.migrations[0].name;
               if (is_first) one_by_one = options.verbose;
               ++applied;
               if (one_by_one) fmt::print("applied {}\n", name);
             },
             {.role_prefix = options.wanted_prefix(), .on_wait = [](std::string_view holders) {
                fmt::print(stderr, "waits for a lock; in use by {}\n", harmless(holders, true));
              }});
  if (applied == 0) {
    fmt::print("nothing to do\n");
    return;
  }
  if (!one_by_one) {
    fmt::print("applied {} and the functions (--verbose names each)\n",
               counted(applied - 1, "migration"));
  }
  std::string statements = statements_against_strangers(connection);
  if (!statements.empty()) {
    // A line for each; a name with such words in it only breaks at another place.
    const size_t second = statements.find(" grant connect on database ");
    if (second != std::string::npos) statements.replace(second, 1, "\n  ");
    fmt::print(
        "warning: everybody may connect to this database, and stop its queues with advisory\n"
        "  locks; to keep others out:\n"
        "  {}\n",
        harmless(statements, true));
  }
}

void print_state(const SchemaState& state, bool json) {
  for (const MigrationState& migration : state.migrations) {
    const char* word = migration.applied_at ? "applied" : "pending";
    const char* word_if_known = migration.known ? word : "unknown to this binary";
    if (json) {
      print_json(fmt::format("{{\"version\":{},\"name\":{},\"state\":{},\"applied_at\":{}}}",
                             migration.version, json_string(migration.name),
                             json_string(word_if_known),
                             migration.applied_at ? json_string(*migration.applied_at) : "null"));
    } else {
      print_line(fmt::format("{:4}  {:<44} {:<8} {}", migration.version, migration.name,
                             word_if_known, migration.applied_at.value_or("")));
    }
  }
  const char* functions = state.functions_current ? "applied"
                          : state.functions_newer ? "unknown to this binary"
                                                  : "pending";
  if (json) {
    print_json(fmt::format(
        "{{\"version\":null,\"name\":\"functions\",\"state\":\"{}\",\"applied_at\":null}}",
        functions));
  } else {
    fmt::print("      {:<44} {}\n", "functions", functions);
  }
}

ExitCode run(const MigrateOptions& options, const GlobalOptions& globals) {
  if (options.what == "sql") {
    const std::string script = migration_script(
        embedded_sql(), options.wanted_prefix().value_or(std::string(default_role_prefix)));
    std::fwrite(script.data(), 1, script.size(), stdout);
    return ExitCode::ok;
  }
  const auto connection = connect(globals.direct_url);
  if (options.what == "status") {
    print_state(schema_state(*connection, embedded_sql()), options.json);
  } else {
    apply_missing(*connection, options);
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_migrate(CommandSyntax syntax) {
  const auto options = std::make_shared<MigrateOptions>();
  syntax
      .add_option("what", options->what,
                  "up: apply what is missing; status: what is applied and what is pending; "
                  "sql: print all of it for psql")
      .one_of({"up", "status", "sql"})
      .type_name("")
      .capture_default_str();
  syntax.add_flag("--json", options->json, "status as one JSON object a line");
  syntax.add_flag("--verbose", options->verbose,
                  "up: name each migration of an empty database, too");
  const FlagSyntax without_roles =
      syntax.add_flag("--without-roles", options->without_roles,
                      "a new schema belongs to this user, who runs everything as himself; "
                      "no sluice_… role is made or granted anything");
  syntax
      .add_option("--role-prefix", options->role_prefix,
                  "a new schema's roles are NAME_owner, NAME_admin and so on, for a second "
                  "installation in a cluster, with logins of its own [sluice]")
      .check([](const std::string& prefix) { return role_prefix_problem(prefix); })
      .type_name("NAME")
      .excludes(without_roles);
  return [options](const GlobalOptions& globals) { return run(*options, globals); };
}

}  // namespace sluice
