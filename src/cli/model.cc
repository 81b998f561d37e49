#include <fmt/format.h>

#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/settings.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "command_error.h"
#include "duration.h"

namespace sluice {
namespace {

// The columns that are a user's to set; PostgreSQL judges the values.
constexpr std::string_view model_columns[] = {"name",          "api",
                                              "url",           "upstream_model",
                                              "secret",        "rpm",
                                              "tpm",           "burst",
                                              "max_in_flight", "min_in_flight",
                                              "max_queue",     "max_unfinished",
                                              "timeout",       "max_attempts",
                                              "backoff_base",  "backoff_max",
                                              "batch_max",     "batch_wait",
                                              "paths",         "breaker_failures",
                                              "breaker_open",  "breaker_successes",
                                              "hedge_after",   "hedge_max",
                                              "hedge_budget",  "input_price",
                                              "output_price",  "paused",
                                              "closed_until",  "closed_reason",
                                              "keep_response", "max_output_tokens",
                                              "claim_order"};

struct ModelOptions {
  std::string name;
  std::vector<Setting> settings;
  std::optional<int64_t> close_for_ms;
  std::string close_until = "infinity";
  std::string reason;
  int64_t limit = 50;
  bool json = false;
};

[[noreturn]] void throw_no_model(const std::string& name) {
  throw CommandError(
      ExitCode::failure,
      fmt::format("there is no model \"{}\" (sluice model ls lists what there is)", name));
}

void set(pqxx::work& transaction, const ModelOptions& options) {
  const std::vector<Setting> key = {{"name", options.name}};
  if (update_row(transaction, "models", key, options.settings)) return;
  if (has_setting(options.settings, "name")) throw_no_model(options.name);
  if (!has_setting(options.settings, "url")) {
    throw CommandError(
        ExitCode::usage,
        fmt::format("there is no model \"{}\" yet, and a new one needs url=…", options.name));
  }
  insert_row(transaction, "models", key, options.settings);
}

void list(pqxx::work& transaction, const ModelOptions& options) {
  if (options.json) {
    print_json_rows(
        transaction.exec("select to_jsonb(m) - sluice.hidden_columns()"
                         " from sluice.models m order by name"));
    return;
  }
  using Kind = Table::Kind;
  Table table({{"MODEL"},
               {"API"},
               {"RPM", Kind::number, -1},
               {"TPM", Kind::number, -1},
               {"QUEUE", Kind::number, -1},
               {"STATE"},
               {"URL", Kind::address}});
  print_rows(table,
             transaction.exec("select m.name, m.api, m.rpm, m.tpm, m.max_queue, q.state, m.url"
                              " from sluice.models m join sluice.queues q on q.model = m.name"
                              " order by m.name"));
}

// How its breaker went and when it was parked, newest first; without a name of all models.
void history(pqxx::work& transaction, const ModelOptions& options) {
  if (!options.name.empty() &&
      transaction.exec_params("select from sluice.queues where model = $1", options.name).empty()) {
    throw_no_model(options.name);
  }
  using Kind = Table::Kind;
  const Table table(
      {{"TIME", Kind::whole}, {"MODEL"}, {"BREAKER", Kind::whole}, {"REASON", Kind::elastic}});
  print_listing(transaction, options.json, table,
                "sluice.breaker_events r where model = $1 or $1 = '' order by id desc limit $2",
                "to_char(at, 'YYYY-MM-DD HH24:MI:SS'), model,"
                " replace(from_state || ' \u2192 ' || to_state, '_', ' '), coalesce(reason, '')",
                options.name, options.limit);
}

void pause(pqxx::work& transaction, const ModelOptions& options) {
  transaction.exec_params("select sluice.pause($1)", options.name);
}

void resume(pqxx::work& transaction, const ModelOptions& options) {
  transaction.exec_params("select sluice.resume($1)", options.name);
}

void close(pqxx::work& transaction, const ModelOptions& options) {
  const char* const reason = options.reason.empty() ? nullptr : options.reason.c_str();
  if (!options.close_for_ms) {
    transaction.exec_params("select sluice.close_model($1, $2::timestamptz, $3)", options.name,
                            options.close_until, reason);
  } else {
    transaction.exec_params(
        "select sluice.close_model($1, clock_timestamp() + $2::bigint * interval '1 ms', $3)",
        options.name, *options.close_for_ms, reason);
  }
}

void remove(pqxx::work& transaction, const ModelOptions& options) {
  const pqxx::result gone =
      transaction.exec_params("delete from sluice.models where name = $1", options.name);
  if (gone.affected_rows() == 0) throw_no_model(options.name);
}

using Operation = void (*)(pqxx::work&, const ModelOptions&);

// The choice made on the command line: the nested command that was named sets the operation.
struct Choice {
  ModelOptions options;
  std::vector<std::string> settings;
  std::string close_for;
  Operation operation = nullptr;
};

CommandSyntax add_operation(CommandSyntax syntax, const std::shared_ptr<Choice>& choice,
                            const char* name, const char* help, Operation operation) {
  const CommandSyntax nested = syntax.add_subcommand(name, help);
  nested.parse_complete_callback([choice, operation] { choice->operation = operation; });
  if (operation == history) {
    nested.add_option("name", choice->options.name, "the model [all]").option_text("NAME");
  } else if (operation != list) {
    nested.add_option("name", choice->options.name, "the model").required().option_text("NAME");
  }
  return nested;
}

void add_close(CommandSyntax syntax, const std::shared_ptr<Choice>& choice) {
  const CommandSyntax nested = add_operation(
      syntax, choice, "close", "Claim nothing for it until a time; nothing is lost", close);
  const FlagSyntax period = nested.add_option("--for", choice->close_for, "from now on");
  period.option_text("DURATION");
  const FlagSyntax end =
      nested.add_option("--until", choice->options.close_until, "such as '2030-01-01 08:00+00'");
  end.excludes(period).option_text("TIMESTAMP");
  nested.add_flag("--forever", "until it is resumed: the default").excludes(period).excludes(end);
  nested.add_option("--reason", choice->options.reason, "shown beside it").option_text("TEXT");
}

}  // namespace

Action configure_model(CommandSyntax syntax) {
  const auto choice = std::make_shared<Choice>();
  syntax.require_subcommand();
  add_operation(syntax, choice, "ls", "All models", list)
      .add_flag("--json", choice->options.json, "one JSON object a line");
  add_operation(syntax, choice, "set", "Change a model, or make a new one (needs url=)", set)
      .add_option("settings", choice->settings,
                  "columns of sluice.models: url=http://..., rpm=60, "
                  "timeout=2m; null takes a limit away")
      .required()
      .option_text("KEY=VALUE ...");
  add_operation(syntax, choice, "pause", "Claim nothing for it until it is resumed", pause);
  add_operation(syntax, choice, "resume", "End a pause or a closure", resume);
  add_close(syntax, choice);
  const CommandSyntax past = add_operation(
      syntax, choice, "history",
      "How breakers went and models were parked: when, from what to what, why", history);
  past.add_option("--limit", choice->options.limit, "this many, newest first")
      .in_range(1, INT32_MAX)
      .option_text("N [50]");
  past.add_flag("--json", choice->options.json, "one JSON object a line");
  add_operation(syntax, choice, "rm", "Delete it; it must have no unfinished task", remove);
  return [choice](const GlobalOptions& globals) {
    choice->options.settings = parse_settings(choice->settings, "a model", model_columns);
    if (!choice->close_for.empty()) {
      choice->options.close_for_ms = parse_duration_ms(choice->close_for);
    }
    return in_transaction(
        globals, [&](pqxx::work& transaction) { choice->operation(transaction, choice->options); });
  };
}

}  // namespace sluice
