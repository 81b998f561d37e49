#include "cli/bulk.h"

#include <fmt/format.h>

#include "cli/database_session.h"
#include "cli/syntax.h"
#include "cli/terminal.h"
#include "command_error.h"
#include "duration.h"

namespace sluice {
namespace {

bool has_condition(const BulkOptions& options) {
  return options.model || options.tenant || options.metadata || options.batch_id || options.since ||
         options.until || options.error_like || options.error_code;
}

}  // namespace

std::string moment(pqxx::nontransaction& session, const std::string& text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool is_duration = digits > 0 && digits < text.size() && text.size() - digits <= 2 &&
                           text.find_first_of("-:/. ") == std::string::npos;
  if (!is_duration) return text;
  return session
      .exec_params1("select clock_timestamp() - $1::bigint * interval '1 ms'",
                    parse_duration_ms(text))[0]
      .as<std::string>();
}

std::optional<std::string> moment(pqxx::nontransaction& session,
                                  const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return moment(session, *text);
}

void add_condition_flags(CommandSyntax syntax, BulkOptions& options, const char* when) {
  syntax.add_option("--model", options.model, "with this model, or of this route")
      .option_text("MODEL");
  syntax.add_option("--tenant", options.tenant, "of this tenant").option_text("TENANT");
  syntax.add_option("--metadata", options.metadata, "whose metadata contains this object")
      .option_text("JSON");
  syntax.add_option("--batch-id", options.batch_id, "of this batch").option_text("N");
  syntax
      .add_option("--since", options.since,
                  fmt::format("{} from then on: '2030-01-01 08:00+00', or 2h: two hours ago", when))
      .option_text("TIME");
  syntax.add_option("--until", options.until, fmt::format("{} before then", when))
      .option_text("TIME");
  syntax.keep_from_environment();
}

void add_status_flag(CommandSyntax syntax, std::optional<std::string>& status) {
  syntax
      .add_option("--status", status,
                  "only these: unsolved (waits for its time, or for a budget), queued, processing, "
                  "solved, failed, cancelled or expired [all]")
      .one_of({"unsolved", "queued", "processing", "solved", "failed", "cancelled", "expired"})
      .option_text("STATUS");
}

void add_bulk_flags(CommandSyntax syntax, BulkOptions& options, const char* id_help,
                    const char* all_help, const char* when) {
  syntax.add_option("id", options.id, id_help).option_text("ID");
  syntax.add_flag("--all", options.all, all_help);
  syntax.add_flag("--everything", options.everything, "--all without any condition");
  add_condition_flags(syntax, options, when);
}

void add_error_flags(CommandSyntax syntax, BulkOptions& options) {
  syntax
      .add_option("--error,--error-like", options.error_like,
                  "whose error is LIKE this pattern, such as 'HTTP 400%'")
      .option_text("PATTERN");
  syntax.add_option("--error-code", options.error_code, "with this code, such as http_400")
      .option_text("CODE");
  syntax.keep_from_environment();
}

void check_bulk_usage(const BulkOptions& options, const char* command) {
  const bool is_filtered = has_condition(options);
  if (options.all == options.id.has_value()) {
    throw CommandError(ExitCode::usage, fmt::format("{} needs either ID or --all", command));
  }
  if (!options.all && (is_filtered || options.everything)) {
    throw CommandError(ExitCode::usage, "conditions and --everything go with --all");
  }
  if (options.all && is_filtered == options.everything) {
    throw CommandError(
        ExitCode::usage,
        fmt::format("{} --all wants {}", command,
                    is_filtered ? "conditions or --everything, not both"
                                : "a condition (--model, --tenant, --since, ...) or --everything"));
  }
}

Action bulk_action(const std::shared_ptr<BulkOptions>& options, const char* command) {
  return [options, command](const GlobalOptions& globals) {
    check_bulk_usage(*options, command);
    return with_database(globals, [&](pqxx::connection& database) {
      if (options->all) {
        fmt::print("{}\n", call_bulk(database, fmt::format("{}_all", command),
                                     bulk_arguments(database, *options)));
      } else {
        print_line(call_one(database, command, *options->id));
      }
      return ExitCode::ok;
    });
  };
}

std::string call_one(pqxx::connection& connection, const char* function, int64_t id) {
  pqxx::work transaction(connection);
  const pqxx::row answer =
      transaction.exec_params1(fmt::format("select sluice.{}($1::bigint)", function), id);
  transaction.commit();
  return answer[0].c_str();
}

BulkArguments bulk_arguments(pqxx::connection& connection, const BulkOptions& options) {
  pqxx::nontransaction session(connection);
  BulkArguments arguments;
  const auto add = [&arguments](const char* name, const char* type, const std::string& value) {
    arguments.values.push_back(value);
    arguments.sql += fmt::format("{}{} => ${}::{}", arguments.sql.empty() ? "" : ", ", name,
                                 arguments.values.size(), type);
  };
  if (options.model) add("model", "text", *options.model);
  if (options.tenant) add("tenant", "text", *options.tenant);
  if (options.metadata) add("metadata", "jsonb", *options.metadata);
  if (options.batch_id) add("batch_id", "bigint", std::to_string(*options.batch_id));
  if (options.since) add("since", "timestamptz", moment(session, *options.since));
  if (options.until) add("until", "timestamptz", moment(session, *options.until));
  if (options.error_like) add("error_like", "text", *options.error_like);
  if (options.error_code) add("error_code", "text", *options.error_code);
  // The functions refuse no condition at all; this one leaves nothing out.
  if (options.everything) add("until", "timestamptz", moment(session, std::string("0s")));
  return arguments;
}

int64_t call_bulk(pqxx::connection& connection, const std::string& function,
                  const BulkArguments& arguments) {
  pqxx::work transaction(connection);
  const auto concerned =
      transaction
          .exec_params(fmt::format("select sluice.{}({})", function, arguments.sql),
                       pqxx::prepare::make_dynamic_params(arguments.values))[0][0]
          .as<int64_t>();
  transaction.commit();
  return concerned;
}

}  // namespace sluice
