#include <fmt/format.h>

#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "command_error.h"
#include "json_text.h"

namespace sluice {
namespace {

struct ShadowOptions {
  bool json = false;
  std::string kind;  // model, tenant, budget or route
  std::string name;
  std::vector<std::string> changes;  // key=value, as typed
  int64_t id = 0;
  std::optional<std::string> reason;
};

void list(pqxx::work& transaction, bool json) {
  using Kind = Table::Kind;
  const Table table({{"ID", Kind::number},
                     {"OF"},
                     {"CHANGES", Kind::elastic},
                     {"STATE", Kind::whole},
                     {"CALLS", Kind::number},
                     {"DELAYED", Kind::number},
                     {"BY S", Kind::number, 1},
                     {"REFUSED", Kind::number},
                     {"MOVED", Kind::number}});
  print_listing(transaction, json, table, "sluice.shadows() r",
                "id, concat_ws(' ', rtrim(kind, 's'), name), changes::text, state, calls, delayed,"
                " round(delay_s::numeric, 1), refused, moved");
}

void show(pqxx::work& transaction, const ShadowOptions& options) {
  if (transaction.exec_params("select from sluice.shadows($1)", options.id).empty()) {
    throw CommandError(
        ExitCode::failure,
        fmt::format("there is no shadow {} (sluice shadow ls lists what there is)", options.id));
  }
  using Kind = Table::Kind;
  const Table table({{"HOUR", Kind::whole},
                     {"MODEL", Kind::elastic},
                     {"CALLS", Kind::number},
                     {"DELAYED", Kind::number},
                     {"BY S", Kind::number},
                     {"REFUSED", Kind::number},
                     {"MOVED", Kind::number}});
  print_listing(transaction, options.json, table, "sluice.shadow_hours($1) r",
                "to_char(at, 'YYYY-MM-DD HH24:MI'), model, calls, delayed,"
                " round(delay_s::numeric, 1), refused, moved",
                options.id);
}

// An object of texts. The names of a route's models may have a "=", their weights have none.
std::string changes_of(const ShadowOptions& options) {
  std::string object;
  for (const std::string& text : options.changes) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw CommandError(ExitCode::usage, fmt::format("'{}' is no change; such as rpm=300", text));
    }
    object += fmt::format("{}{}:{}", object.empty() ? "" : ",", json_string(text.substr(0, equals)),
                          json_string(text.substr(equals + 1)));
  }
  return '{' + object + '}';
}

void start(pqxx::work& transaction, const ShadowOptions& options) {
  const pqxx::row id = transaction.exec_params1(
      "select sluice.start_shadow($1 || 's', $2, (select jsonb_object_agg("
      "  case when $1 = 'budget' and key = 'limit' then 'limit_nanos' else key end,"
      "  case when value = 'null' then 'null' when value !~ '^-?[0-9]+([.][0-9]+)?$'"
      "      then to_jsonb(value)"
      "    when $1 = 'budget' and key = 'limit' then to_jsonb(trunc(value::numeric * 1000000000))"
      "    else to_jsonb(value::numeric) end)"
      " from jsonb_each_text($3::jsonb)), $4)",
      options.kind, options.name, changes_of(options), options.reason);
  print_line(id[0].c_str());
}

// `function`: apply_shadow or drop_shadow.
void act(pqxx::work& transaction, const char* function, const ShadowOptions& options) {
  const pqxx::row state = transaction.exec_params1(
      fmt::format("select sluice.{}($1::bigint, $2)", function), options.id, options.reason);
  print_line(state[0].c_str());
}

void add_id(CommandSyntax syntax, ShadowOptions& options) {
  syntax.add_option("id", options.id, "as shadow ls shows it").required().option_text("ID");
}

void add_reason(CommandSyntax syntax, ShadowOptions& options) {
  syntax.add_option("--reason", options.reason, "why").keep_from_environment().option_text("TEXT");
}

void configure_start(CommandSyntax syntax, ShadowOptions& options) {
  syntax.add_option("kind", options.kind, "of what a change is tried")
      .required()
      .one_of({"model", "tenant", "budget", "route"})
      .option_text("model | tenant | budget | route");
  syntax.add_option("name", options.name, "its name").required().option_text("NAME");
  syntax
      .add_option("changes", options.changes,
                  "model: rpm=, tpm=, burst=; tenant: rpm=, tpm=; budget: limit=, is_hard=, "
                  "at_limit=; route: weights of models; null: no limit")
      .required()
      .option_text("KEY=VALUE ...");
  add_reason(syntax, options);
  syntax.footer(
      "\nPrints the shadow's id. It counts from now on which calls the change would have delayed, "
      "refused or moved, and changes nothing.");
}

}  // namespace

Action configure_shadow(CommandSyntax syntax) {
  const auto options = std::make_shared<ShadowOptions>();
  syntax.require_subcommand();
  const CommandSyntax ls =
      syntax.add_subcommand("ls", "Shadows, newest first, and what they have counted");
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax hours =
      syntax.add_subcommand("show", "What one has counted, by hour and model");
  add_id(hours, *options);
  hours.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax begin = syntax.add_subcommand("start", "Count what a change would do");
  configure_start(begin, *options);
  const CommandSyntax apply = syntax.add_subcommand("apply", "Make the change, and end its shadow");
  const CommandSyntax drop = syntax.add_subcommand("drop", "End a shadow, and change nothing");
  for (CommandSyntax command : {apply, drop}) {
    add_id(command, *options);
    add_reason(command, *options);
  }
  return [options, ls, hours, begin, apply](const GlobalOptions& globals) {
    return in_transaction(globals, [&](pqxx::work& transaction) {
      if (ls.parsed()) {
        list(transaction, options->json);
      } else if (hours.parsed()) {
        show(transaction, *options);
      } else if (begin.parsed()) {
        start(transaction, *options);
      } else {
        act(transaction, apply.parsed() ? "apply_shadow" : "drop_shadow", *options);
      }
    });
  };
}

}  // namespace sluice
