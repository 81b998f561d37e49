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

constexpr std::string_view route_columns[] = {"weight"};

struct RouteOptions {
  bool list = false;
  bool json = false;
  std::string route;
  std::string model;
  std::vector<std::string> settings;
  bool remove = false;
};

void list(pqxx::work& transaction, bool json) {
  if (json) {
    for (const pqxx::row& row :
         transaction.exec("select to_jsonb(r) from sluice.routes r order by route, model")) {
      fmt::print("{}\n", row[0].c_str());
    }
    return;
  }
  using Kind = Table::Kind;
  Table table(
      {{"ROUTE"}, {"MODEL", Kind::elastic}, {"WEIGHT", Kind::number}, {"SHARE", Kind::number}});
  for (const pqxx::row& row : transaction.exec(
           "select route, model, weight, coalesce(round((100 * weight"
           " / nullif(sum(weight) over (partition by route), 0))::numeric, 1) || ' %', '-')"
           " from sluice.routes order by route, model")) {
    table.add({row[0].c_str(), row[1].c_str(), row[2].c_str(), row[3].c_str()});
  }
  fmt::print("{}", table.text());
}

void set(pqxx::work& transaction, const RouteOptions& options) {
  const std::vector<Setting> key = {{"route", options.route}, {"model", options.model}};
  if (options.remove) {
    if (delete_row(transaction, "routes", key)) return;
    throw CommandError(ExitCode::failure, fmt::format("route \"{}\" has no model \"{}\"",
                                                      options.route, options.model));
  }
  std::vector<Setting> settings = parse_settings(options.settings, "a route", route_columns);
  if (settings.empty()) settings.push_back({"weight", "1"});
  if (update_row(transaction, "routes", key, settings)) return;
  try {
    insert_row(transaction, "routes", key, settings);
  } catch (const pqxx::foreign_key_violation&) {
    throw CommandError(ExitCode::failure,
                       fmt::format("there is no model \"{}\" (sluice model ls lists what there is)",
                                   options.model));
  }
}

}  // namespace

Action configure_route(CLI::App& app) {
  const auto options = std::make_shared<RouteOptions>();
  app.require_subcommand(1);
  CLI::App* ls = app.add_subcommand("ls", "All routes and their models");
  ls->parse_complete_callback([options] { options->list = true; });
  ls->add_flag("--json", options->json, "one JSON object a line");
  CLI::App* change = app.add_subcommand("set", "Give a route a model, or the model another weight");
  change->add_option("route", options->route, "made by its first model")
      ->required()
      ->option_text("ROUTE");
  change->add_option("model", options->model, "an existing one")->required()->option_text("MODEL");
  auto* settings = change->add_option("settings", options->settings, "weight=0 gives it nothing")
                       ->option_text("weight=N [1]");
  change->add_flag("--remove", options->remove, "take the model out of the route")
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
