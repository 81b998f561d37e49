#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/database_session.h"
#include "cli/settings.h"
#include "cli/table.h"
#include "command_error.h"

namespace sluice {
namespace {

constexpr std::string_view tenant_columns[] = {"weight", "max_unfinished", "rpm", "tpm", "role"};

struct TenantOptions {
  bool list = false;
  bool json = false;
  std::string name;
  std::vector<std::string> settings;
  bool remove = false;
};

void list(pqxx::work& transaction, bool json) {
  if (json) {
    for (const pqxx::row& row :
         transaction.exec("select to_jsonb(t) - array['id', 'limits_changed_at'] from "
                          "sluice.tenants t order by name")) {
      fmt::print("{}\n", row[0].c_str());
    }
    return;
  }
  using Kind = Table::Kind;
  Table table({{"TENANT", Kind::elastic},
               {"WEIGHT", Kind::number},
               {"MAX UNFINISHED", Kind::number},
               {"RPM", Kind::number},
               {"TPM", Kind::number},
               {"ROLE"}});
  for (const pqxx::row& row : transaction.exec("select name, weight, max_unfinished, rpm, tpm, role"
                                               " from sluice.tenants order by name")) {
    table.add({row[0].c_str(), row[1].c_str(), row[2].as<std::string>("-"),
               row[3].as<std::string>("-"), row[4].as<std::string>("-"),
               row[5].as<std::string>("-")});
  }
  fmt::print("{}", table.text());
}

void set(pqxx::work& transaction, const TenantOptions& options) {
  const std::vector<Setting> key = {{"name", options.name}};
  if (options.remove) {
    if (delete_row(transaction, "tenants", key)) return;
    throw CommandError(ExitCode::failure,
                       fmt::format("tenant \"{}\" has no settings", options.name));
  }
  const std::vector<Setting> settings =
      parse_settings(options.settings, "a tenant", tenant_columns);
  if (settings.empty()) {
    throw CommandError(ExitCode::usage, "tenant set needs a setting, such as weight=2");
  }
  if (!update_row(transaction, "tenants", key, settings)) {
    insert_row(transaction, "tenants", key, settings);
  }
}

}  // namespace

Action configure_tenant(CLI::App& app) {
  const auto options = std::make_shared<TenantOptions>();
  app.require_subcommand(1);
  CLI::App* ls = app.add_subcommand("ls", "The tenants that have settings; others weigh 1");
  ls->parse_complete_callback([options] { options->list = true; });
  ls->add_flag("--json", options->json, "one JSON object a line");
  CLI::App* change = app.add_subcommand("set", "Change a tenant's settings, or give it some");
  change->add_option("name", options->name, "the tenant")->required()->option_text("NAME");
  auto* settings = change
                       ->add_option("settings", options->settings,
                                    "weight=2, max_unfinished=, rpm=, tpm=, role=;\n"
                                    "null takes a limit away")
                       ->option_text("KEY=VALUE ...");
  change->add_flag("--remove", options->remove, "forget its settings: weight 1, no limits")
      ->excludes(settings);
  return [options](const GlobalOptions& globals) {
    return with_database(globals, [&](pqxx::connection& database) {
      pqxx::work transaction(database);
      options->list ? list(transaction, options->json) : set(transaction, *options);
      transaction.commit();
      return ExitCode::ok;
    });
  };
}

}  // namespace sluice
