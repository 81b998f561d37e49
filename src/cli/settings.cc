#include "cli/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/suggestion.h"
#include "command_error.h"
#include "db/sql_message.h"
#include "json_text.h"

namespace sluice {
namespace {

constexpr std::string_view reason_key = "reason";

std::string refusal(const pqxx::check_violation& error, const std::vector<Setting>& settings) {
  const SqlMessage message = parse_sql_message(error.what());
  const std::string_view constraint = violated_check(message.primary);
  for (const Setting& setting : settings) {
    if (!concerns(constraint, setting.column)) continue;
    const std::string fact = fact_of(constraint, setting.column);
    // Not repeated: whoever gives no reference may have given the credential itself.
    return setting.column == "secret" ? fact : fact + ", not " + setting.value;
  }
  return one_line(message);
}

// What PostgreSQL says of a value, up to the value itself, and what its setting takes.
constexpr std::pair<std::string_view, std::string_view> misread_values[] = {
    {"invalid input syntax for type integer: ", "a whole number"},
    {"invalid input syntax for type bigint: ", "a whole number"},
    {"invalid input syntax for type real: ", "a number"},
    {"invalid input syntax for type double precision: ", "a number"},
    {"invalid input syntax for type numeric: ", "a number"},
    {"invalid input syntax for type boolean: ", "true or false"},
    {"invalid input syntax for type interval: ", "a duration such as 30s or 5m"},
    {"malformed array literal: ", "a list such as {a,b}"},
};

// "many" for an integer. A credential is text, which is never refused so.
std::string misreading(const pqxx::data_exception& error, const std::vector<Setting>& settings) {
  const std::string text = one_line(parse_sql_message(error.what()));
  const size_t parameter = misread_parameter(error.what());
  if (parameter == 0 || parameter > settings.size()) return text;
  const std::string& column = settings[parameter - 1].column;
  for (const auto& [said, takes] : misread_values) {
    if (!text.starts_with(said)) continue;
    return fmt::format("{} takes {}, not {}{}", column, takes, text.substr(said.size()),
                       settings[parameter - 1].value.empty() ? "; null takes a limit away" : "");
  }
  return fmt::format("{}: {}", column, text);
}

pqxx::result run(pqxx::work& transaction, const std::string& sql,
                 const std::vector<Setting>& settings) {
  std::vector<const char*> values;
  for (const Setting& setting : settings) {
    values.push_back(setting.is_null ? nullptr : setting.value.c_str());
  }
  try {
    return transaction.exec_params(sql, pqxx::prepare::make_dynamic_params(values));
  } catch (const pqxx::check_violation& error) {
    throw CommandError(ExitCode::failure, refusal(error, settings));
  } catch (const pqxx::data_exception& error) {
    throw CommandError(ExitCode::failure, misreading(error, settings));
  }
}

// "a = $1, b = $2", counted from `first`.
std::string equations(const std::vector<Setting>& settings, size_t first, const char* separator) {
  std::string text;
  for (size_t i = 0; i < settings.size(); ++i) {
    if (i > 0) text += separator;
    text += fmt::format("{} = ${}", settings[i].column, first + i);
  }
  return text;
}

// A bare number would be taken for seconds.
void check_durations(pqxx::work& transaction, const std::string& table,
                     const std::vector<Setting>& settings) {
  std::vector<std::string> pairs;
  for (const Setting& setting : settings) {
    pairs.push_back(json_string(setting.column) + ":" + json_string(setting.value));
  }
  transaction.exec_params("select sluice.check_durations($1, $2)", table,
                          fmt::format("{{{}}}", fmt::join(pairs, ",")));
}

// `settings` without the reason, which is given to what the transaction changes from now on.
std::vector<Setting> take_reason(pqxx::work& transaction, std::vector<Setting> settings) {
  const auto reason = std::find_if(settings.begin(), settings.end(), [](const Setting& setting) {
    return setting.column == reason_key;
  });
  if (reason == settings.end()) return settings;
  give_reason(transaction, reason->value);
  settings.erase(reason);
  return settings;
}

}  // namespace

std::vector<Setting> parse_settings(const std::vector<std::string>& texts, std::string_view owner,
                                    std::span<const std::string_view> columns) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw CommandError(ExitCode::usage, fmt::format("'{}' is not key=value", text));
    }
    Setting setting{text.substr(0, equals), text.substr(equals + 1)};
    setting.is_null = setting.value == "null";
    if (setting.column != reason_key &&
        std::find(columns.begin(), columns.end(), setting.column) == columns.end()) {
      const std::string all = fmt::format("; the settings are {}", fmt::join(columns, ", "));
      throw CommandError(ExitCode::usage,
                         fmt::format("'{}' is not a setting of {}{}", setting.column, owner,
                                     did_you_mean(setting.column, columns, all)));
    }
    if (has_setting(settings, setting.column)) {
      throw CommandError(ExitCode::usage, fmt::format("'{}' is given twice", setting.column));
    }
    settings.push_back(std::move(setting));
  }
  if (settings.size() == 1 && settings.front().column == reason_key) {
    throw CommandError(ExitCode::usage, "a reason alone changes nothing");
  }
  return settings;
}

bool has_setting(const std::vector<Setting>& settings, std::string_view column) {
  return std::any_of(settings.begin(), settings.end(),
                     [column](const Setting& setting) { return setting.column == column; });
}

void add_reason(CommandSyntax syntax, std::optional<std::string>& reason) {
  syntax.add_option("--reason", reason, "why, for the revisions")
      .keep_from_environment()
      .option_text("TEXT");
}

void give_reason(pqxx::work& transaction, const std::optional<std::string>& reason) {
  if (reason) transaction.exec_params("select set_config('sluice.reason', $1, true)", *reason);
}

bool update_row(pqxx::work& transaction, const std::string& table, const std::vector<Setting>& key,
                const std::vector<Setting>& given) {
  const std::vector<Setting> settings = take_reason(transaction, given);
  check_durations(transaction, table, settings);
  std::vector<Setting> values = settings;
  values.insert(values.end(), key.begin(), key.end());
  const std::string sql =
      fmt::format("update sluice.{} set {} where {}", table, equations(settings, 1, ", "),
                  equations(key, settings.size() + 1, " and "));
  return run(transaction, sql, values).affected_rows() == 1;
}

void insert_row(pqxx::work& transaction, const std::string& table, std::vector<Setting> key,
                const std::vector<Setting>& given) {
  const std::vector<Setting> settings = take_reason(transaction, given);
  check_durations(transaction, table, settings);
  key.insert(key.end(), settings.begin(), settings.end());
  std::vector<std::string> columns;
  std::vector<std::string> places;
  for (const Setting& setting : key) {
    columns.push_back(setting.column);
    places.push_back("$" + std::to_string(columns.size()));
  }
  run(transaction,
      fmt::format("insert into sluice.{} ({}) values ({})", table, fmt::join(columns, ", "),
                  fmt::join(places, ", ")),
      key);
}

size_t delete_rows(pqxx::work& transaction, const std::string& table,
                   const std::vector<Setting>& key) {
  const std::string sql =
      fmt::format("delete from sluice.{} where {}", table, equations(key, 1, " and "));
  return static_cast<size_t>(run(transaction, sql, key).affected_rows());
}

}  // namespace sluice
