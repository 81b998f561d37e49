#include <fmt/format.h>

#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "duration.h"

namespace sluice {
namespace {

constexpr int limit_max = 10'000;

struct DeadLettersOptions {
  std::optional<std::string> model;
  int limit = 50;
  bool json = false;
};

// A terminal shows less; a backend's whole page as an error is --json's.
constexpr const char* dead_letters_sql = R"(
  select id, model, attempts, error_code, left(error, 2000) as error,
    extract(epoch from clock_timestamp() - finished_at) as age_s
  from sluice.dead_letters where model = $2 or $2 is null order by id desc limit $1::int)";

void print_table(const pqxx::result& found) {
  using Kind = Table::Kind;
  Table table({{"ID", Kind::number},
               {"MODEL"},
               {"ATTEMPTS", Kind::number},
               {"AGE", Kind::number},
               {"CODE"},
               {"ERROR", Kind::elastic}});
  for (const pqxx::row& row : found) {
    table.add({row["id"].c_str(), row["model"].c_str(), row["attempts"].c_str(),
               brief_age(row["age_s"].as<double>()), row["error_code"].c_str(),
               row["error"].c_str()});
  }
  fmt::print("{}", table.text());
}

ExitCode list(pqxx::connection& connection, const DeadLettersOptions& options) {
  pqxx::nontransaction session(connection);
  if (!options.json) {
    print_table(session.exec_params(dead_letters_sql, options.limit, options.model));
    return ExitCode::ok;
  }
  print_json_rows(session.exec_params(
      "select row_to_json(d) from sluice.dead_letters d where model = $2 or $2 is null"
      " order by id desc limit $1::int",
      options.limit, options.model));
  return ExitCode::ok;
}

}  // namespace

Action configure_dead_letters(CommandSyntax syntax) {
  const auto options = std::make_shared<DeadLettersOptions>();
  syntax.add_option("--model", options->model, "only those that failed at this model [all]")
      .option_text("MODEL");
  syntax.add_option("--limit", options->limit, "this many, newest first")
      .in_range(1, limit_max)
      .option_text("N [50]");
  syntax.add_flag("--json", options->json, "one JSON object a line");
  return database_action(options, list);
}

}  // namespace sluice
