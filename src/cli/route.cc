#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/settings.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "command_error.h"

namespace sluice {
namespace {

constexpr std::string_view route_columns[] = {"weight", "tier"};

struct RouteOptions {
  bool json = false;
  std::string route;
  std::string model;                  // empty, of rm: all of the route's
  std::vector<std::string> settings;  // as typed
  std::vector<Setting> parsed;
  std::string prefer;
  std::optional<std::string> reason;  // of rm and prefer; set has it among its settings
};

void list(pqxx::work& transaction, bool json) {
  using Kind = Table::Kind;
  const Table table({{"ROUTE"},
                     {"MODEL", Kind::elastic},
                     {"TIER", Kind::number},
                     {"WEIGHT", Kind::number},
                     {"SHARE", Kind::number},
                     {"PREFER"}});
  print_listing(transaction, json, table, "sluice.routes r order by route, tier, model",
                "route, model, tier, weight, case when prefer = 'weight' then"
                " coalesce(round((100 * weight / nullif(sum(weight::float8) over (partition by"
                " route, tier), 0))::numeric, 1) || ' %', '-') else '-' end, prefer");
}

void show_choice(pqxx::work& transaction, const RouteOptions& options) {
  using Kind = Table::Kind;
  const Table table({{"ROUTE"},
                     {"PREFER"},
                     {"MODEL", Kind::elastic},
                     {"SHARE", Kind::number},
                     {"MS A TOKEN", Kind::number},
                     {"IN FLIGHT", Kind::number, 1},
                     {"PRICE", Kind::number},
                     {"SLOW S", Kind::number, 2}});
  print_listing(transaction, options.json, table, "sluice.route_choices(nullif($1, '')) r",
                "route, prefer, model, round((100 * share)::numeric, 1) || ' %',"
                " round(ms_per_token::numeric, 2), in_flight, price, round(slow_s::numeric, 2)",
                options.route);
  if (options.json) return;
  for (const pqxx::row& row : transaction.exec_params(
           "select model, string_agg(route, ', ' order by route), blocked"
           " from sluice.route_choices(nullif($1, '')) where blocked is not null"
           " group by model, blocked order by model",
           options.route)) {
    print_paragraph(fmt::format("{} (of {}): {}", row[0].c_str(), row[1].c_str(), row[2].c_str()));
  }
}

void remove(pqxx::work& transaction, const RouteOptions& options) {
  std::vector<Setting> key = {{"route", options.route}};
  if (!options.model.empty()) key.push_back({"model", options.model});
  if (delete_rows(transaction, "routes", key) > 0) return;
  throw CommandError(
      ExitCode::failure,
      options.model.empty()
          ? fmt::format("there is no route \"{}\" (sluice route ls lists what there is)",
                        options.route)
          : fmt::format("route \"{}\" has no model \"{}\"", options.route, options.model));
}

void set(pqxx::work& transaction, const RouteOptions& options) {
  const std::vector<Setting> key = {{"route", options.route}, {"model", options.model}};
  if (update_row(transaction, "routes", key, options.parsed)) return;
  try {
    insert_row(transaction, "routes", key, options.parsed);
  } catch (const pqxx::foreign_key_violation&) {
    throw CommandError(ExitCode::failure,
                       fmt::format("there is no model \"{}\" (sluice model ls lists what there is)",
                                   options.model));
  }
}

// weight=80 and tier=2, or 80 alone; nothing: weight 1.
std::vector<Setting> place_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return {{"weight", "1"}};
  if (texts.size() > 1 || texts[0].find('=') != std::string::npos) {
    return parse_settings(texts, "a route", route_columns);
  }
  if (texts[0].find_first_not_of("0123456789.") != std::string::npos) {
    throw CommandError(ExitCode::usage,
                       fmt::format("'{}' is no weight; such as weight=80, or 80", texts[0]));
  }
  return {{"weight", texts[0]}};
}

void add_names(CommandSyntax syntax, RouteOptions& options, bool needs_model) {
  syntax.add_option("route", options.route, "made by its first model")
      .required()
      .option_text("ROUTE");
  syntax
      .add_option("model", options.model, needs_model ? "an existing one" : "this one alone [all]")
      .required(needs_model)
      .option_text("MODEL");
}

}  // namespace

Action configure_route(CommandSyntax syntax) {
  const auto options = std::make_shared<RouteOptions>();
  syntax.require_subcommand();
  const CommandSyntax ls = syntax.add_subcommand("ls", "All routes and their models");
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax change =
      syntax.add_subcommand("set", "Give a route a model, or the model another weight or tier");
  add_names(change, *options, true);
  change
      .add_option("settings", options->settings,
                  "its share beside the others' weights (0 gives it nothing) in"
                  " its tier: a later one takes what the earlier ones cannot")
      .option_text("weight=N [1] tier=N [1]");
  const CommandSyntax rm =
      syntax.add_subcommand("rm", "Take a model out of a route, or all of them");
  add_names(rm, *options, false);
  add_reason(rm, options->reason);
  const CommandSyntax prefer =
      syntax.add_subcommand("prefer", "Say what decides which model takes a task");
  prefer.add_option("route", options->route, "the route").required().option_text("ROUTE");
  prefer.add_option("by", options->prefer, "its weights, its price, its speed, or both of these")
      .required()
      .one_of({"weight", "cost", "latency", "balanced"});
  add_reason(prefer, options->reason);
  const CommandSyntax choice =
      syntax.add_subcommand("choice", "Which model a route would choose now, and why");
  choice.add_option("route", options->route, "of this one alone [all]").option_text("ROUTE");
  choice.add_flag("--json", options->json, "one JSON object a line");
  return [options, ls, change, prefer, choice](const GlobalOptions& globals) {
    if (change.parsed()) options->parsed = place_of(options->settings);
    return in_transaction(globals, [&](pqxx::work& transaction) {
      give_reason(transaction, options->reason);
      if (ls.parsed()) {
        list(transaction, options->json);
      } else if (change.parsed()) {
        set(transaction, *options);
      } else if (prefer.parsed()) {
        transaction.exec_params("select sluice.set_prefer($1, $2)", options->route,
                                options->prefer);
      } else if (choice.parsed()) {
        show_choice(transaction, *options);
      } else {
        remove(transaction, *options);
      }
    });
  };
}

}  // namespace sluice
