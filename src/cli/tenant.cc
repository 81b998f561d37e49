#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/settings.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "command_error.h"

namespace sluice {
namespace {

constexpr std::string_view tenant_columns[] = {
    "weight", "max_unfinished", "rpm",       "tpm",          "role",
    "models", "max_batches",    "max_files", "max_priority", "files_bytes_max"};

struct TenantOptions {
  bool json = false;
  std::string name;
  std::vector<std::string> settings;  // as typed
  std::vector<Setting> parsed;
};

void list(pqxx::work& transaction, bool json) {
  if (json) {
    print_json_rows(
        transaction.exec("select to_jsonb(t) - sluice.hidden_columns() from "
                         "sluice.tenants t order by name"));
    return;
  }
  using Kind = Table::Kind;
  Table table({{"TENANT", Kind::elastic},
               {"WEIGHT", Kind::number},
               {"MAX UNFINISHED", Kind::number},
               {"RPM", Kind::number},
               {"TPM", Kind::number},
               {"BATCHES", Kind::number},
               {"PRIORITY", Kind::number},
               {"ROLE"}});
  print_rows(table, transaction.exec(
                        "select name, weight, max_unfinished, rpm, tpm, max_batches, max_priority, "
                        "role from sluice.tenants order by name"));
}

void remove(pqxx::work& transaction, const TenantOptions& options) {
  if (delete_rows(transaction, "tenants", {{"name", options.name}}) > 0) return;
  throw CommandError(ExitCode::failure, fmt::format("tenant \"{}\" has no settings", options.name));
}

void set(pqxx::work& transaction, const TenantOptions& options) {
  const std::vector<Setting> key = {{"name", options.name}};
  if (!update_row(transaction, "tenants", key, options.parsed)) {
    insert_row(transaction, "tenants", key, options.parsed);
  }
}

std::vector<Setting> settings_of(const TenantOptions& options) {
  std::vector<Setting> settings = parse_settings(options.settings, "a tenant", tenant_columns);
  if (settings.empty()) {
    throw CommandError(ExitCode::usage, "tenant set needs a setting, such as weight=2");
  }
  return settings;
}

}  // namespace

Action configure_tenant(CommandSyntax syntax) {
  const auto options = std::make_shared<TenantOptions>();
  syntax.require_subcommand();
  const CommandSyntax ls =
      syntax.add_subcommand("ls", "The tenants that have settings; others weigh 1");
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax change =
      syntax.add_subcommand("set", "Change a tenant's settings, or give it some");
  change.add_option("name", options->name, "the tenant").required().option_text("NAME");
  change
      .add_option("settings", options->settings,
                  "weight=2, max_unfinished=, rpm=, tpm=, role=, "
                  "models={a,b}, max_priority=, max_batches=, "
                  "max_files=, files_bytes_max=; "
                  "null: as sluice.settings has it")
      .option_text("KEY=VALUE ...");
  const CommandSyntax rm =
      syntax.add_subcommand("rm", "Forget a tenant's settings: weight 1, default limits");
  rm.add_option("name", options->name, "the tenant").required().option_text("NAME");
  return [options, ls, change](const GlobalOptions& globals) {
    if (change.parsed()) options->parsed = settings_of(*options);
    return in_transaction(globals, [&](pqxx::work& transaction) {
      if (ls.parsed()) {
        list(transaction, options->json);
      } else if (change.parsed()) {
        set(transaction, *options);
      } else {
        remove(transaction, *options);
      }
    });
  };
}

}  // namespace sluice
