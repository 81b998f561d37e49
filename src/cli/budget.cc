#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/settings.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "command_error.h"
#include "harmless_text.h"

namespace sluice {
namespace {

constexpr std::string_view budget_columns[] = {"scope",    "subject",   "period",  "zone",
                                               "rolling",  "limit",     "is_hard", "marks",
                                               "at_limit", "reroute_to"};
constexpr size_t decimals_max = 9;  // of a nano-unit

struct BudgetOptions {
  bool json = false;
  std::string name;
  int limit = 50;                     // rows of history
  std::vector<std::string> settings;  // as typed
  std::vector<Setting> parsed;
};

void list(pqxx::work& transaction, bool json) {
  using Kind = Table::Kind;
  const Table table({{"BUDGET"},
                     {"SCOPE", Kind::text, 1},
                     {"SUBJECT", Kind::elastic},
                     {"PERIOD", Kind::text, 3},
                     {"LIMIT", Kind::number},
                     {"SPENT", Kind::number},
                     {"HELD", Kind::number, 4},
                     {"WAITING", Kind::number, 2},
                     {"OPENS", Kind::whole, -1}});
  print_listing(transaction, json, table, "sluice.budget_rows() r",
                "name, scope, subject, coalesce(rolling::text, period),"
                " \"limit\" || case when is_hard then '' else ' (told)' end, spent, held, waiting,"
                " to_char(opens_at at time zone zone, 'YYYY-MM-DD HH24:MI ') || zone");
}

// Its marks and exhaustions, newest first; without a name of all budgets.
void history(pqxx::work& transaction, const BudgetOptions& options) {
  const Table table({{"TIME", Table::Kind::whole}, {"BUDGET", Table::Kind::elastic}, {"EVENT"}});
  print_listing(transaction, options.json, table,
                "sluice.budget_events r where budget = $1 or $1 = ''"
                " order by at desc, per_cent desc limit $2",
                "to_char(at, 'YYYY-MM-DD HH24:MI:SS'), budget,"
                " coalesce(per_cent || ' % spent', 'no room for one more call')",
                options.name, options.limit);
}

[[noreturn]] void throw_no_limit(const std::string& value) {
  throw CommandError(
      ExitCode::usage,
      fmt::format("'{}' is no limit; such as limit=50, or limit=0.000001 at least", value));
}

// The column limit_nanos of limit=0.5: exact, as no floating-point number is.
Setting in_nanos(const Setting& limit) {
  const size_t point = std::min(limit.value.find('.'), limit.value.size());
  std::string decimals = limit.value.substr(std::min(point + 1, limit.value.size()));
  const bool is_number = point > 0 && point <= decimals_max + decimals_max &&
                         limit.value.find_first_not_of("0123456789.") == std::string::npos &&
                         decimals.find('.') == std::string::npos && decimals.size() <= decimals_max;
  if (!is_number) throw_no_limit(limit.value);
  decimals.resize(decimals_max, '0');
  const std::string nanos = limit.value.substr(0, point) + decimals;
  // The column's constraint says it in nano-units.
  if (nanos.find_first_not_of('0') >= nanos.size() - 3) throw_no_limit(limit.value);
  return {"limit_nanos", nanos};
}

void write(pqxx::work& transaction, const BudgetOptions& options) {
  const std::vector<Setting> key = {{"name", options.name}};
  if (update_row(transaction, "budgets", key, options.parsed)) return;
  if (!has_setting(options.parsed, "limit_nanos") || !has_setting(options.parsed, "scope")) {
    throw CommandError(ExitCode::usage,
                       fmt::format("there is no budget \"{}\" yet, and a new one needs scope=… and"
                                   " limit=…",
                                   options.name));
  }
  insert_row(transaction, "budgets", key, options.parsed);
}

void set(pqxx::work& transaction, const BudgetOptions& options) {
  write(transaction, options);
  for (const pqxx::row& row :
       transaction.exec_params("select why from sluice.budget_failures($1)", options.name)) {
    fmt::print(stderr, "sluice: warning: {}\n", harmless(row[0].c_str(), false));
  }
}

void remove(pqxx::work& transaction, const BudgetOptions& options) {
  if (delete_rows(transaction, "budgets", {{"name", options.name}}) > 0) return;
  throw CommandError(ExitCode::failure,
                     fmt::format("there is no budget \"{}\" (sluice budget ls lists what there is)",
                                 options.name));
}

std::vector<Setting> settings_of(const BudgetOptions& options) {
  std::vector<Setting> settings = parse_settings(options.settings, "a budget", budget_columns);
  for (Setting& setting : settings) {
    if (setting.column == "limit") setting = in_nanos(setting);
  }
  return settings;
}

}  // namespace

Action configure_budget(CommandSyntax syntax) {
  const auto options = std::make_shared<BudgetOptions>();
  syntax.require_subcommand();
  const CommandSyntax ls =
      syntax.add_subcommand("ls", "All budgets, what they have spent and hold");
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax change =
      syntax.add_subcommand("set", "Change a budget, or make a new one (needs scope= and limit=)");
  change.add_option("name", options->name, "the budget").required().option_text("NAME");
  change
      .add_option("settings", options->settings,
                  "scope=system|model|route|tenant|key|tag, subject=NAME or key=value, limit=50, "
                  "period=day|week|month|rolling, zone=Europe/Prague, rolling=24h, "
                  "at_limit=park|refuse|reroute, reroute_to=MODEL, is_hard=false, marks={80,100}")
      .required()
      .option_text("KEY=VALUE ...");
  const CommandSyntax events =
      syntax.add_subcommand("history", "When budgets reached marks, newest first");
  events.add_option("name", options->name, "the budget [all]").option_text("NAME");
  events.add_option("--limit", options->limit, "this many, newest first")
      .in_range(1, INT32_MAX)
      .option_text("N [50]");
  events.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax rm =
      syntax.add_subcommand("rm", "Delete a budget; tasks that it kept waiting go on");
  rm.add_option("name", options->name, "the budget").required().option_text("NAME");
  return [options, ls, change, events](const GlobalOptions& globals) {
    if (change.parsed()) options->parsed = settings_of(*options);
    return in_transaction(globals, [&](pqxx::work& transaction) {
      if (ls.parsed()) {
        list(transaction, options->json);
      } else if (change.parsed()) {
        set(transaction, *options);
      } else if (events.parsed()) {
        history(transaction, *options);
      } else {
        remove(transaction, *options);
      }
    });
  };
}

}  // namespace sluice
