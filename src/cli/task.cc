#include <fmt/format.h>

#include <array>
#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "cli/database_session.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "command_error.h"
#include "duration.h"
#include "harmless_text.h"

namespace sluice {
namespace {

// Longer texts are cut, unless --json asks for all of it: a screen full is enough to recognize one.
constexpr int text_characters_max = 2'000;

constexpr std::array texts = {"prompt", "request", "answer", "response", "error"};

constexpr const char* task_sql = R"(
  select id, status, route, model, tenant, priority, attempts, error_code, input_tokens, output_tokens, cost,
    batch_id, created_at, run_at, deadline, schema_version, affinity_key, queued_at, started_at, finished_at, metadata,
    left(prompt, $2::int) as prompt, octet_length(prompt) as prompt_bytes,
    left(request, $2::int) as request, octet_length(request) as request_bytes,
    left(answer, $2::int) as answer, octet_length(answer) as answer_bytes,
    left(response, $2::int) as response, octet_length(response) as response_bytes,
    left(error, $2::int) as error, octet_length(error) as error_bytes
  from sluice.task($1::bigint))";

// Of calls that did not solve it; a redriven task may have any number. A call that ended the task
// was a retry as its worker saw it, and what a redrive took back has a row of its own, with its
// times and fence: that is one call.
constexpr const char* attempts_sql = R"(
  with a as (select * from sluice.attempts($1::bigint) order by id desc limit 50),
  call as (
    select a.*, a.kind <> 'redriven' and exists (select from a r where r.kind = 'redriven'
        and (r.fence, r.started_at, r.ended_at) = (a.fence, a.started_at, a.ended_at)) as is_redriven,
      exists (select from sluice.task($1::bigint) t
        where t.status = 'failed' and t.finished_at = a.ended_at) as is_last
    from a
    where a.kind <> 'redriven' or not exists (select from a c where c.kind in ('retry', 'failed')
      and (c.fence, c.started_at, c.ended_at) = (a.fence, a.started_at, a.ended_at)))
  select to_char(coalesce(started_at, ended_at), 'YYYY-MM-DD HH24:MI:SS') as started,
    extract(epoch from ended_at - started_at) as took_s,
    concat_ws(' to ', case when kind = 'retry' and (is_redriven or is_last) then 'failed' else kind end
      || case when is_redriven then ', redriven' else '' end, fallback_to) as kind,
    model, http_status, error_code, left(error, $2::int) as error
  from call order by id)";

struct TaskOptions {
  int64_t id = 0;
  bool json = false;
};

void print_text(const pqxx::row& row, const std::string& name) {
  if (row[name].is_null()) return;
  const auto shown = row[name].as<std::string>();
  const auto bytes = row[name + "_bytes"].as<size_t>();
  if (bytes == 0 && name == texts.front()) {  // none is submitted empty
    fmt::print("\nforgotten: its texts are erased\n");
    return;
  }
  fmt::print("\n{} ({} bytes)\n{}\n", name, bytes, harmless(shown, true));
  if (shown.size() < bytes) {
    fmt::print("... {} more bytes; --json shows all\n", bytes - shown.size());
  }
}

void print_fields(const pqxx::row& row) {
  for (const pqxx::field& field : row) {
    if (std::string_view(field.name()) == texts.front()) break;  // the texts come last
    if (!field.is_null()) print_line(fmt::format("{:<14}{}", field.name(), field.c_str()));
  }
  for (const char* name : texts) print_text(row, name);
}

void print_attempts(const pqxx::result& attempts) {
  if (attempts.empty()) return;
  using Kind = Table::Kind;
  Table table({{"STARTED", Kind::whole},
               {"TOOK", Kind::number},
               {"ENDED"},
               {"MODEL"},
               {"HTTP", Kind::number},
               {"CODE"},
               {"ERROR", Kind::elastic}});
  for (const pqxx::row& row : attempts) {
    table.add({row["started"].c_str(),
               row["took_s"].is_null() ? "-" : brief_duration(row["took_s"].as<double>()),
               row["kind"].c_str(), row["model"].as<std::string>("-"),
               row["http_status"].as<std::string>("-"), row["error_code"].as<std::string>("-"),
               row["error"].as<std::string>("")});
  }
  fmt::print("\ncalls that did not solve it\n{}", table.text());
}

constexpr const char* json_sql = R"(
  select to_jsonb(t) || jsonb_build_object('calls', coalesce(
    (select jsonb_agg(to_jsonb(a) order by a.id) from sluice.attempts(t.id) a), '[]'))
  from sluice.task($1::bigint) t)";

ExitCode show(pqxx::connection& connection, const TaskOptions& options) {
  pqxx::nontransaction session(connection);
  const pqxx::result found = options.json
                                 ? session.exec_params(json_sql, options.id)
                                 : session.exec_params(task_sql, options.id, text_characters_max);
  if (found.empty()) {
    throw CommandError(
        ExitCode::failure,
        fmt::format("there is no task {} (sluice tasks lists the newest)", options.id));
  }
  if (options.json) {
    print_json(found[0][0].c_str());
  } else {
    print_fields(found[0]);
    print_attempts(session.exec_params(attempts_sql, options.id, text_characters_max));
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_task(CommandSyntax syntax) {
  const auto options = std::make_shared<TaskOptions>();
  syntax.add_option("id", options->id, "the number that submit printed")
      .required()
      .option_text("ID");
  syntax.add_flag("--json", options->json, "as one JSON object, with the whole texts");
  return database_action(options, show);
}

}  // namespace sluice
