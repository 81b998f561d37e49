#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "cli/database_session.h"
#include "cli/table.h"
#include "duration.h"

namespace sluice {
namespace {

constexpr int limit_max = 10'000;
// With --model: how many of the newest tasks are looked at. Each costs about 0.1 ms.
constexpr int looked_at_max = 10'000;

struct TasksOptions {
  std::string status;
  std::string model;
  int limit = 50;
  bool json = false;
};

// Ids are paged first, newest first, and each task is then read by its keys.
pqxx::result find(pqxx::nontransaction& session, const TasksOptions& options) {
  return session.exec_params(
      "select t.id, t.status, coalesce(t.model, t.route) as target, t.tenant, t.priority,"
      "  t.attempts, extract(epoch from clock_timestamp() - t.created_at) as age_s"
      " from sluice.newest_ids(nullif($2, ''), $1::int) n(id)"
      " cross join lateral sluice.task(n.id) t"
      " where (t.status = $2 or $2 = '') and (t.model = $3 or $3 = '') order by n.id desc "
      "limit $4::int",
      options.model.empty() ? options.limit : looked_at_max, options.status, options.model,
      options.limit);
}

void print_table(const pqxx::result& found) {
  using Kind = Table::Kind;
  Table table({{"ID", Kind::number},
               {"STATUS"},
               {"MODEL", Kind::elastic},
               {"TENANT"},
               {"PRIORITY", Kind::number},
               {"ATTEMPTS", Kind::number},
               {"AGE", Kind::number}});
  for (const pqxx::row& row : found) {
    table.add({row["id"].c_str(), row["status"].c_str(), row["target"].c_str(),
               row["tenant"].c_str(), row["priority"].c_str(), row["attempts"].c_str(),
               brief_age(row["age_s"].as<double>())});
  }
  fmt::print("{}", table.text());
}

// One at a time, because of the texts: memory holds one task, not all of them. A task that has left
// the status asked for meanwhile is left out.
void print_json(pqxx::nontransaction& session, const pqxx::result& found,
                const std::string& status) {
  for (const pqxx::row& row : found) {
    for (const pqxx::row& task : session.exec_params(
             "select row_to_json(t) from sluice.task($1::bigint) t where t.status = $2 or $2 = ''",
             row["id"].as<int64_t>(), status)) {
      fmt::print("{}\n", task[0].c_str());
    }
  }
}

ExitCode list(pqxx::connection& connection, const TasksOptions& options) {
  pqxx::nontransaction session(connection);
  const pqxx::result found = find(session, options);
  if (options.json) {
    print_json(session, found, options.status);
  } else {
    print_table(found);
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_tasks(CLI::App& app) {
  const auto options = std::make_shared<TasksOptions>();
  app.add_option(
         "--status", options->status,
         "only these: unsolved (waits for room or its time), queued, processing, solved, failed, "
         "cancelled or expired [all]")
      ->check(CLI::IsMember(
          {"unsolved", "queued", "processing", "solved", "failed", "cancelled", "expired"}))
      ->option_text("STATUS");
  app.add_option("--model", options->model,
                 fmt::format("only this model's, among the newest {} [all]", looked_at_max))
      ->option_text("MODEL");
  app.add_option("--limit", options->limit, "this many, newest first")
      ->check(CLI::Range(1, limit_max))
      ->option_text("N [50]");
  app.add_flag("--json", options->json, "one JSON object a line, with the whole texts");
  return [options](const GlobalOptions& globals) {
    return with_database(globals,
                         [&](pqxx::connection& database) { return list(database, *options); });
  };
}

}  // namespace sluice
