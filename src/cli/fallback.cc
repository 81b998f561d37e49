#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/settings.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "command_error.h"

namespace sluice {
namespace {

struct FallbackOptions {
  bool json = false;
  std::string target;
  std::string cause;  // empty, of rm: all
  std::string to_model;
  std::optional<std::string> reason;
};

void list(pqxx::work& transaction, bool json) {
  const Table table({{"OF", Table::Kind::elastic}, {"CAUSE"}, {"TO"}});
  print_listing(transaction, json, table, "sluice.fallbacks r order by target, cause",
                "target, cause, to_model");
}

void set(pqxx::work& transaction, const FallbackOptions& options) {
  const std::vector<Setting> key = {{"target", options.target}, {"cause", options.cause}};
  const std::vector<Setting> to_model = {{"to_model", options.to_model}};
  try {
    if (!update_row(transaction, "fallbacks", key, to_model)) {
      insert_row(transaction, "fallbacks", key, to_model);
    }
  } catch (const pqxx::foreign_key_violation&) {
    throw CommandError(ExitCode::failure,
                       fmt::format("there is no model \"{}\" (sluice model ls lists what there is)",
                                   options.to_model));
  }
}

void remove(pqxx::work& transaction, const FallbackOptions& options) {
  std::vector<Setting> key = {{"target", options.target}};
  if (!options.cause.empty()) key.push_back({"cause", options.cause});
  if (delete_rows(transaction, "fallbacks", key) > 0) return;
  throw CommandError(ExitCode::failure,
                     fmt::format("\"{}\" has no such fallback (sluice fallback ls lists what there"
                                 " is)",
                                 options.target));
}

void add_key(CommandSyntax syntax, FallbackOptions& options, bool needs_cause) {
  syntax.add_option("target", options.target, "the model or route whose tasks they are")
      .required()
      .option_text("NAME");
  syntax
      .add_option("cause", options.cause,
                  std::string(needs_cause ? "why its model cannot serve it" : "[all]") +
                      ": context_too_long, content_refused, over_budget or breaker_open")
      .required(needs_cause)
      .one_of({"context_too_long", "content_refused", "over_budget", "breaker_open"})
      .option_text("CAUSE");
  add_reason(syntax, options.reason);
}

}  // namespace

Action configure_fallback(CommandSyntax syntax) {
  const auto options = std::make_shared<FallbackOptions>();
  syntax.require_subcommand();
  const CommandSyntax ls = syntax.add_subcommand("ls", "All fallbacks");
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax change =
      syntax.add_subcommand("set", "Say to which model a task goes that its own cannot serve");
  add_key(change, *options, true);
  change.add_option("model", options->to_model, "an existing one").required().option_text("MODEL");
  const CommandSyntax rm =
      syntax.add_subcommand("rm", "Remove a fallback, or all of a model or route");
  add_key(rm, *options, false);
  return [options, ls, change](const GlobalOptions& globals) {
    return in_transaction(globals, [&](pqxx::work& transaction) {
      give_reason(transaction, options->reason);
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
