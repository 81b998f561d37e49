#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/settings.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "command_error.h"
#include "json_text.h"

namespace sluice {
namespace {

constexpr std::string_view price_columns[] = {
    "input", "cached_input", "cache_write", "output", "per_request", "above_tokens", "valid_from"};

struct PriceOptions {
  bool json = false;
  std::string model;  // empty, of ls: all
  std::string valid_from;
  std::vector<std::string> settings;  // as typed
  std::vector<Setting> parsed;
};

void list(pqxx::work& transaction, const PriceOptions& options) {
  using Kind = Table::Kind;
  const Table table({{"MODEL", Kind::elastic},
                     {"FROM"},
                     {"ABOVE", Kind::number},
                     {"INPUT", Kind::number},
                     {"CACHED", Kind::number},
                     {"WRITE", Kind::number},
                     {"OUTPUT", Kind::number},
                     {"A CALL", Kind::number},
                     {""}});
  print_listing(transaction, options.json, table, "sluice.price_rows(nullif($1, '')) r",
                "model, to_char(valid_from, 'YYYY-MM-DD HH24:MI'), above_tokens, input,"
                " cached_input, cache_write, output, per_request,"
                " case when in_force then 'now' else '' end",
                options.model);
}

// A number as it is; anything else as a text, about which PostgreSQL says what is wrong.
std::string json_value(const Setting& setting) {
  if (setting.is_null) return "null";
  const bool is_number = !setting.value.empty() && setting.value.front() != '.' &&
                         setting.value.find_first_not_of("0123456789.") == std::string::npos &&
                         setting.value.find('.') == setting.value.rfind('.') &&
                         setting.value.back() != '.';
  return is_number ? setting.value : json_string(setting.value);
}

void set(pqxx::work& transaction, const PriceOptions& options) {
  std::string price;
  for (const Setting& setting : options.parsed) {
    price += fmt::format("{}{}:{}", price.empty() ? "" : ",", json_string(setting.column),
                         json_value(setting));
  }
  transaction.exec_params("select sluice.set_price($1, $2::jsonb)", options.model,
                          '{' + price + '}');
}

void remove(pqxx::work& transaction, const PriceOptions& options) {
  const pqxx::result gone = transaction.exec_params("select sluice.drop_price($1, $2::timestamptz)",
                                                    options.model, options.valid_from);
  if (gone[0][0].as<int>() > 0) return;
  throw CommandError(ExitCode::failure,
                     fmt::format("model \"{}\" has no prices that begin at {} (sluice price ls)",
                                 options.model, options.valid_from));
}

void add_model(CommandSyntax syntax, PriceOptions& options, bool needs_model) {
  syntax.add_option("model", options.model, needs_model ? "the model" : "of this one alone [all]")
      .required(needs_model)
      .option_text("MODEL");
}

}  // namespace

Action configure_price(CommandSyntax syntax) {
  const auto options = std::make_shared<PriceOptions>();
  syntax.require_subcommand();
  const CommandSyntax ls = syntax.add_subcommand("ls", "Prices of models: now, before and to come");
  add_model(ls, *options, false);
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax change =
      syntax.add_subcommand("set", "Say what a model costs from now on, or from a time");
  add_model(change, *options, true);
  change
      .add_option("settings", options->settings,
                  "of a million tokens: input=0.15, output=0.60, cached_input=, cache_write=; "
                  "per_request= of a call; above_tokens=200000; valid_from=2030-01-01")
      .required()
      .option_text("KEY=VALUE ...");
  const CommandSyntax rm =
      syntax.add_subcommand("rm", "Remove a list of prices, as if it had never begun");
  add_model(rm, *options, true);
  rm.add_option("valid_from", options->valid_from, "when it begins, as ls --json shows it")
      .required()
      .option_text("TIMESTAMP");
  return [options, ls, change](const GlobalOptions& globals) {
    if (change.parsed()) {
      options->parsed = parse_settings(options->settings, "a price", price_columns);
    }
    return in_transaction(globals, [&](pqxx::work& transaction) {
      if (ls.parsed()) {
        list(transaction, *options);
      } else if (change.parsed()) {
        set(transaction, *options);
      } else {
        remove(transaction, *options);
      }
    });
  };
}

}  // namespace sluice
