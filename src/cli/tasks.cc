#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "cli/bulk.h"
#include "cli/database_session.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "duration.h"

namespace sluice {
namespace {

constexpr int64_t table_limit = 50;  // of a table, unless --limit says otherwise; JSON has no limit
// With --model a table is made of this many of the newest tasks at most. Each costs some 20 us.
constexpr int64_t looked_at_max = 100'000;
// Read by one statement: the snapshot of a longer one would keep dead rows from being removed.
constexpr int64_t page_tasks = 1'000;

struct TasksOptions {
  std::optional<std::string> status;
  std::optional<std::string> model;
  std::optional<int64_t> limit;
  bool json = false;
};

// Returns the id that the next page begins below. A page may end early, for its bytes: hence the
// last task, not the range.
int64_t hand_out(const pqxx::result& page, int64_t first, int64_t& left,
                 const std::function<void(const pqxx::row&)>& on_task) {
  int64_t before = first;
  for (const pqxx::row& row : page) {
    if (left == 0) break;
    on_task(row);
    --left;
    before = row[0].as<int64_t>();
  }
  return before;
}

// Calls `on_task` for each task, newest first, page by page along the ids; memory holds one page.
// A task that has left the status asked for meanwhile is left out.
void for_each_task(pqxx::nontransaction& session, const TasksOptions& options,
                   const std::string& columns,
                   const std::function<void(const pqxx::row&)>& on_task) {
  const std::string page = fmt::format(
      "select id, {} from sluice.list_tasks($1::bigint, $2::bigint, $3, $4) t", columns);
  int64_t left = options.limit.value_or(options.json ? INT64_MAX : table_limit);
  int64_t looked_at = 0;
  std::optional<int64_t> before;
  while (left > 0 && (options.json || looked_at < looked_at_max)) {
    const pqxx::row range = session.exec_params1(
        "select min(id), count(*) from sluice.newest_ids($1, $2::int, $3::bigint) id",
        options.status, options.model ? page_tasks : std::min(left, page_tasks), before);
    if (range[0].is_null()) return;
    before = hand_out(
        session.exec_params(page, range[0].as<int64_t>(), before, options.status, options.model),
        range[0].as<int64_t>(), left, on_task);
    looked_at += range[1].as<int64_t>();
  }
}

void print_table(pqxx::nontransaction& session, const TasksOptions& options) {
  using Kind = Table::Kind;
  Table table({{"ID", Kind::number},
               {"STATUS"},
               {"MODEL", Kind::elastic},
               {"TENANT"},
               {"PRIORITY", Kind::number},
               {"ATTEMPTS", Kind::number},
               {"AGE", Kind::number}});
  for_each_task(session, options,
                "status, coalesce(model, route), tenant, priority, attempts,"
                " extract(epoch from clock_timestamp() - created_at)",
                [&table](const pqxx::row& row) {
                  table.add({row[0].c_str(), row[1].c_str(), row[2].c_str(), row[3].c_str(),
                             row[4].c_str(), row[5].c_str(), brief_age(row[6].as<double>())});
                });
  fmt::print("{}", table.text());
}

ExitCode list(pqxx::connection& connection, const TasksOptions& options) {
  pqxx::nontransaction session(connection);
  if (options.json) {
    for_each_task(session, options, "row_to_json(t)",
                  [](const pqxx::row& row) { print_json(row[1].c_str()); });
  } else {
    print_table(session, options);
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_tasks(CommandSyntax syntax) {
  const auto options = std::make_shared<TasksOptions>();
  add_status_flag(syntax, options->status);
  syntax
      .add_option(
          "--model", options->model,
          fmt::format("only this model's; in a table, of the newest {} [all]", looked_at_max))
      .option_text("MODEL");
  syntax.add_option("--limit", options->limit, "this many, newest first")
      .in_range(1, INT32_MAX)
      .option_text("N [50; with --json all]");
  syntax.add_flag("--json", options->json, "one JSON object a line, with the whole texts");
  return database_action(options, list);
}

}  // namespace sluice
