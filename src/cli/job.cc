#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <vector>

#include "cli/bulk.h"
#include "cli/database_session.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/rows.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "command_error.h"

namespace sluice {
namespace {

constexpr auto look_interval = std::chrono::milliseconds(250);  // of --wait

struct JobOptions {
  std::string action;
  BulkOptions filter;
  std::vector<int64_t> ids;  // none: all that meet the filter
  std::optional<std::string> status;
  std::optional<std::string> route;
  std::optional<std::string> message;
  std::optional<std::string> target;
  std::optional<int> priority;
  bool dry_run = false;
  bool wait = false;
  bool json = false;
  int64_t id = 0;
  int64_t limit = 50;
};

// A preview's number, or the id of the job.
int64_t start(pqxx::connection& connection, const JobOptions& options) {
  pqxx::nontransaction session(connection);
  const BulkOptions& filter = options.filter;
  std::optional<std::string> ids;
  if (!options.ids.empty()) ids = fmt::format("{{{}}}", fmt::join(options.ids, ","));
  return session
      .exec_params1(
          "select sluice.start_job($1, jsonb_build_object('status', $2::text, 'model', $3::text,"
          " 'route', $4::text, 'tenant', $5::text, 'batch_id', $6::bigint, 'since',"
          " $7::timestamptz, 'until', $8::timestamptz, 'error_code', $9::text, 'error_like',"
          " $10::text, 'metadata', $11::jsonb, 'message', $12::text, 'everything', $13::boolean,"
          " 'ids', $14::bigint[]), $15::boolean, $16::text, $17::int)",
          options.action, options.status, filter.model, options.route, filter.tenant,
          filter.batch_id, moment(session, filter.since), moment(session, filter.until),
          filter.error_code, filter.error_like, filter.metadata, options.message, filter.everything,
          ids, options.dry_run, options.target, options.priority)[0]
      .as<int64_t>();
}

void print_job(pqxx::connection& connection, int64_t id, bool json) {
  pqxx::nontransaction session(connection);
  const pqxx::result found =
      session.exec_params("select to_jsonb(j) from sluice.jobs j where id = $1", id);
  if (found.empty()) {
    throw CommandError(ExitCode::failure,
                       fmt::format("there is no job {} (sluice job ls lists what there is)", id));
  }
  if (json) return print_json(found[0][0].c_str());
  for (const pqxx::row& field : session.exec_params(
           "select f.key, f.value from sluice.jobs j, jsonb_each_text(to_jsonb(j)) f"
           " where j.id = $1 and f.value is not null order by array_position(array['id', 'action',"
           " 'filter', 'target', 'priority', 'state', 'matched', 'is_estimate', 'done', 'skipped',"
           " 'undone', 'created_at', 'started_at', 'finished_at', 'who', 'error', 'can_undo',"
           " 'undo_until'], f.key)",
           id)) {
    print_line(fmt::format("{:12}{}", field[0].c_str(), field[1].c_str()));
  }
}

// Waits until the job has ended, or has been undone; how.
std::string wait(pqxx::connection& connection, int64_t id) {
  end_on_interrupt("sluice: the job goes on without this command; see sluice job ls\n");
  Progress progress;
  for (;;) {
    pqxx::nontransaction session(connection);
    const pqxx::row job = session.exec_params1(
        "select state, case when state = 'undoing' then undone else done end,"
        " case when state = 'undoing' then done else matched end, finished_at is not null"
        " from sluice.jobs where id = $1",
        id);
    const auto done = job[1].as<uint64_t>();
    const auto total = job[2].as<uint64_t>();
    progress.show(done, total, fmt::format("{} of {} {}", done, total, job[0].c_str()));
    if (job[3].as<bool>()) {
      return job[0].c_str();
    }
    std::this_thread::sleep_for(look_interval);
  }
}

ExitCode start_and_wait(pqxx::connection& connection, const JobOptions& options) {
  const int64_t number = start(connection, options);
  fmt::print("{}\n", number);
  if (options.dry_run || !options.wait) return ExitCode::ok;
  std::fflush(stdout);
  const std::string state = wait(connection, number);
  print_job(connection, number, options.json);
  return state == "done" ? ExitCode::ok : ExitCode::failure;
}

ExitCode act(pqxx::connection& connection, const char* function, const JobOptions& options) {
  print_line(call_one(connection, function, options.id));
  if (!options.wait) return ExitCode::ok;
  std::fflush(stdout);
  return wait(connection, options.id) == "failed" ? ExitCode::failure : ExitCode::ok;
}

ExitCode list(pqxx::connection& connection, const JobOptions& options) {
  pqxx::nontransaction session(connection);
  using Kind = Table::Kind;
  const Table table({{"ID", Kind::number},
                     {"ACTION"},
                     {"STATE"},
                     {"DONE", Kind::number},
                     {"OF", Kind::number},
                     {"SKIPPED", Kind::number},
                     {"STARTED", Kind::whole, 1},
                     {"FILTER", Kind::elastic}});
  print_listing(session, options.json, table, "sluice.jobs r order by id desc limit $1",
                "id, action, state, done, case when is_estimate then 'about ' else '' end"
                " || matched, skipped, to_char(created_at, 'YYYY-MM-DD HH24:MI:SS'),"
                " concat_ws(' ', filter::text, '-> ' || coalesce(target, priority::text))",
                options.limit);
  return ExitCode::ok;
}

void add_filter(CommandSyntax syntax, JobOptions& options) {
  BulkOptions& filter = options.filter;
  const auto add = [syntax](const char* flag, auto& value, const char* help, const char* text) {
    syntax.add_option(flag, value, help).option_text(text);
  };
  syntax.add_option("--ids", options.ids, "these tasks, at most 200")
      .delimiter(',')
      .option_text("N,N…");
  add("--status", options.status,
      "with this status [redrive without --ids: failed; else all that the action concerns]",
      "STATUS");
  add("--model", filter.model, "that named this model, or ended at it", "MODEL");
  add("--route", options.route, "of this route", "ROUTE");
  add("--tenant", filter.tenant, "of this tenant", "TENANT");
  add("--metadata", filter.metadata, "whose metadata contains this object", "JSON");
  add("--batch-id", filter.batch_id, "of this batch", "N");
  add("--since", filter.since,
      "ended (redrive, forget) or submitted from then on: '2030-01-01 08:00+00', or 2h: two hours "
      "ago",
      "TIME");
  add("--until", filter.until, "ended or submitted before then", "TIME");
  add("--error-code", filter.error_code, "redrive, forget: with this code, such as http_400",
      "CODE");
  add("--error,--error-like", filter.error_like,
      "redrive, forget: whose error is LIKE this pattern, such as 'HTTP 400%'", "PATTERN");
  add("--message", options.message,
      "redrive, forget: whose error is this one but for numbers, ids and quoted parts", "TEXT");
  syntax.add_flag("--everything", filter.everything, "every task that the action concerns");
}

void configure_start(CommandSyntax syntax, JobOptions& options) {
  syntax.add_option("action", options.action, "what is to be done to the tasks")
      .required()
      .one_of({"redrive", "cancel", "move", "prioritise", "forget"})
      .option_text("redrive | cancel | move | prioritise | forget");
  add_filter(syntax, options);
  syntax.add_option("--to", options.target, "move, redrive: the model or route that they go to")
      .option_text("NAME");
  syntax.add_option("--priority", options.priority, "prioritise: -100 to 100, higher first")
      .option_text("N");
  syntax.add_flag("--dry-run", options.dry_run,
                  "start nothing: print how many tasks it would concern");
  syntax.add_flag("--wait", options.wait,
                  "until it has ended; exit 1 if it failed or was cancelled");
  syntax.add_flag("--json", options.json, "with --wait: the job at its end as a JSON object");
  syntax.keep_from_environment();
  syntax.footer(
      "\nPrints the job's id. Workers, and tick, make its steps; it goes on without this command. "
      "A task must meet all conditions. Move and prioritise concern tasks that wait.");
}

void configure_end(CommandSyntax syntax, JobOptions& options) {
  syntax.add_option("id", options.id, "as job ls shows it").required().option_text("ID");
  syntax.add_flag("--wait", options.wait, "until it has ended");
}

}  // namespace

Action configure_job(CommandSyntax syntax) {
  const auto options = std::make_shared<JobOptions>();
  syntax.require_subcommand();
  const CommandSyntax begin =
      syntax.add_subcommand("start", "Start a job over all tasks that meet a filter");
  configure_start(begin, *options);
  const CommandSyntax ls = syntax.add_subcommand("ls", "Jobs, newest first");
  ls.add_option("--limit", options->limit, "at most so many")
      .in_range(1, 1000)
      .option_text("N [50]");
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax show = syntax.add_subcommand("show", "One job with all its fields");
  show.add_option("id", options->id, "as job ls shows it").required().option_text("ID");
  show.add_flag("--json", options->json, "as a JSON object");
  const CommandSyntax cancel =
      syntax.add_subcommand("cancel", "Stop a job, or its undoing; what is done stays done");
  configure_end(cancel, *options);
  const CommandSyntax undo = syntax.add_subcommand(
      "undo", "Undo what a job did, within 24 hours, for tasks that are still as it left them");
  configure_end(undo, *options);
  return [options, begin, ls, show, cancel](const GlobalOptions& globals) {
    return with_database(globals, [&](pqxx::connection& database) {
      if (begin.parsed()) return start_and_wait(database, *options);
      if (ls.parsed()) return list(database, *options);
      if (show.parsed()) {
        print_job(database, options->id, options->json);
        return ExitCode::ok;
      }
      return act(database, cancel.parsed() ? "cancel_job" : "undo_job", *options);
    });
  };
}

}  // namespace sluice
