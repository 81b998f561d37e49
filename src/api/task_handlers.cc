#include "api/task_handlers.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "api/estimate_handlers.h"
#include "api/page.h"
#include "json_object.h"
#include "json_text.h"

namespace sluice {
namespace {

constexpr const char* submit_array_sql =
    "select json_build_object('ids', coalesce(json_agg(s.id order by s.n), '[]'),"
    " 'models', coalesce(json_agg(s.model order by s.n), '[]'))"
    " from sluice.submit_array($1, $2, $3, $4, $5) with ordinality s(id, model, n)";
constexpr int64_t wait_ms_max = 60'000;  // proxies and clients give up on silence soon after
// 5,000 streams ask 1,000 times a second so, and no proxy finds them silent.
constexpr int64_t state_look_ns = 5 * ns_per_s;
// With its texts, which the audit may have to know.
constexpr const char* task_sql =
    "select case when sluice.note_reading(t.id, $3) then row_to_json(t) end"
    " from sluice.task_of($1::bigint, $2) t";
constexpr const char* state_sql =
    "select t.status, e.ended, case"
    " when not e.ended then json_build_object('id', t.id, 'status', t.status, 'model', t.model,"
    " 'attempts', t.attempts)"
    " when sluice.note_reading(t.id, $3) then row_to_json(t) end"
    " from sluice.task_of($1::bigint, $2) t"
    " cross join lateral (select t.status not in ('unsolved', 'queued', 'processing') as ended) e";

// The one value of the reply; 404 when it is null, or there is no row.
Co<HttpReply> task_reply(Co<Result<PgResult>> reply, int64_t id, int status = 200) {
  const Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return error_reply(rows.error());
  if (rows->rows() == 0 || rows->is_null(0, 0)) co_return no_such_task(std::to_string(id));
  co_return json_reply(status, std::string(rows->text(0, 0)) + "\n");
}

Co<HttpReply> submit_one(Services& services, ApiRequest request, std::optional<std::string> key) {
  Submitter::Submission submission;
  const std::string problem = json_object_problem(request.http.body, json_keys_max,
                                                  "schema_version", &submission.has_version);
  if (!problem.empty()) co_return bad_json(problem);
  submission.body = std::move(request.http.body);
  submission.values = request.body_values;
  submission.tenant = request.caller.tenant;
  submission.idempotency_key = std::move(key);
  submission.traceparent = std::move(request.traceparent);
  submission.api_key = std::move(request.caller.key_id);
  Co<Result<Submitter::Accepted>> accepted =
      services.submitter.submit(std::move(submission), request.http);
  Result<Submitter::Accepted> task = co_await std::move(accepted);
  if (!task) co_return error_reply(task.error());
  HttpReply reply = json_reply(
      202, fmt::format("{{\"id\":{},\"model\":{}}}\n", task->id, json_string(task->model)));
  reply.headers.emplace_back("Location", fmt::format("/v1/tasks/{}", task->id));
  co_return reply;
}

// Whether an array may take PostgreSQL a tenth of a second: with more than some hundred tasks, or
// payloads to be checked by a schema, however that key is written.
bool is_dear_array(std::string_view body, int64_t values) {
  constexpr size_t dear_bytes_min = size_t{16} << 10;
  constexpr int64_t dear_values_min = 500;
  return body.size() >= dear_bytes_min || values >= dear_values_min ||
         body.find("schema_version") != std::string_view::npos ||
         body.find("\\u") != std::string_view::npos;
}

// Dear ones take turns.
Co<HttpReply> submit_array(Services& services, ApiRequest request, std::optional<std::string> key) {
  PgPool& pool =
      is_dear_array(request.http.body, request.body_values) ? services.large : services.database;
  PgParams params = {std::move(request.http.body), request.caller.tenant, std::move(key),
                     std::move(request.traceparent), std::move(request.caller.key_id)};
  Co<Result<PgResult>> reply = pool.query(request.http, submit_array_sql, std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return error_reply(rows.error());
  co_return json_reply(202, std::string(rows->text(0, 0)) + "\n");
}

// Waits until the task has ended, `deadline_ns`, or the server's end; an answer means that the wait
// is over for another reason.
Co<std::optional<HttpReply>> wait_for_end(Services& services, int64_t id, const ApiRequest& request,
                                          int64_t deadline_ns) {
  while (true) {
    PgParams params = {std::to_string(id), request.caller.tenant};
    Co<Result<PgResult>> reply =
        services.database.query(request.http,
                                "select t.status in ('unsolved', 'queued', 'processing')"
                                " from sluice.task_of($1::bigint, $2) t",
                                std::move(params));
    Result<PgResult> rows = co_await std::move(reply);
    if (!rows) co_return error_reply(rows.error());
    if (rows->rows() == 0) co_return no_such_task(std::to_string(id));
    if (!rows->boolean(0, 0) || services.clock.now_ns() >= deadline_ns ||
        services.endings.is_released() || !request.http.is_awaited()) {
      co_return std::nullopt;
    }
    co_await services.endings.wait(id, deadline_ns, request.http.is_awaited);
  }
}

// A task's states as server-sent events: each as it is seen, the last with the whole task.
struct StateStream {
  Services& services;
  Requester requester;
  int64_t id;
  std::optional<std::string> tenant;
  std::optional<std::string> key_id;
  int64_t until_ns;
  std::string state = {};  // the last one that was told
  bool is_over = false;
};

// The next states are looked for now and then, the end is heard of at once.
Co<Result<std::string>> next_state(std::shared_ptr<StateStream> stream) {
  if (stream->is_over) co_return std::string();
  Services& services = stream->services;
  if (services.clock.now_ns() >= stream->until_ns) {
    stream->is_over = true;
    co_return ": the stream is as old as may be: ask anew\n\n";
  }
  if (!stream->state.empty()) {
    const int64_t look_ns = services.clock.now_ns() + state_look_ns;
    co_await services.endings.wait(stream->id, std::min(look_ns, stream->until_ns),
                                   stream->requester.is_awaited);
  }
  PgParams params = {std::to_string(stream->id), stream->tenant, stream->key_id};
  Co<Result<PgResult>> reply =
      services.database.query(stream->requester, state_sql, std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  stream->is_over =
      !rows || rows->rows() == 0 || rows->boolean(0, 1) || services.endings.is_released();
  if (!rows) co_return fmt::format("event: error\ndata: {}\n", error_reply(rows.error()).body);
  if (rows->rows() == 0) {
    co_return fmt::format("event: error\ndata: {}\n",
                          no_such_task(std::to_string(stream->id)).body);
  }
  if (rows->text(0, 0) == stream->state) co_return ": no change\n\n";
  stream->state = rows->text(0, 0);
  co_return fmt::format("event: {}\ndata: {}\n\n", stream->state, rows->text(0, 2));
}

// Ids are paged, newest first; each task is then read by its keys. A task that does not meet the
// other conditions is left out of its page. `columns`: of what is shown.
std::string page_sql(std::string_view columns) {
  return fmt::format(R"(
  with ids as materialized (
    select i.id, row_number() over (order by i.id desc) as n
    from sluice.newest_ids($1::text, $2::int + 1, $3::bigint, $4::text) i(id)),
  page as (
    select {}
    from ids cross join lateral sluice.task(ids.id) t
    where ids.n <= $2::int and ($1::text is null or t.status = $1) and ($5::text is null or $5 in (t.model, t.route))
      and ($6::bigint is null or t.batch_id = $6::bigint))
  select json_build_object('object', 'list',
    'data', coalesce((select json_agg(p order by p.id desc) from page p), '[]'),
    'has_more', (select count(*) > $2::int from ids),
    'next', (select min(id) from ids where n <= $2::int)))",
                     columns);
}

const std::string list_sql = page_sql(
    "t.id, t.status, t.route, t.model, t.tenant, t.priority, t.error_code, t.attempts, "
    "t.input_tokens,"
    " t.output_tokens, t.cost, t.metadata, t.batch_id, t.created_at, t.queued_at, t.started_at, "
    "t.finished_at,"
    " t.run_at, t.deadline, t.schema_version, t.affinity_key");
// As the view sluice.dead_letters.
const std::string dead_letters_sql = page_sql(
    "t.id, t.route, t.model, t.tenant, t.priority, t.error, t.error_code, t.attempts, t.metadata, "
    "t.batch_id,"
    " t.created_at, t.finished_at");

constexpr std::string_view statuses[] = {"unsolved", "queued",    "processing", "solved",
                                         "failed",   "cancelled", "expired"};

// A page of the tasks that the query asks for, of `status` (null: any).
Co<HttpReply> list(Services& services, ApiRequest request, const std::string& sql,
                   std::optional<std::string> status) {
  const auto& query = request.http.query;
  const auto after = argument(query, "after");
  const auto batch = argument(query, "batch_id");
  const auto tenant = argument(query, "tenant");
  if (after && !parse_id(*after)) {
    return reply_with(bad_argument("after", "after is the \"next\" of a page"));
  }
  if (batch && !parse_id(*batch)) {
    return reply_with(bad_argument("batch_id", "batch_id is a number, not " + in_quotes(*batch)));
  }
  if (tenant && request.caller.tenant && tenant != request.caller.tenant) {
    return reply_with(wrong_tenant());
  }
  PgParams params = {std::move(status),
                     page_limit(query, pages_after),
                     after,
                     request.caller.tenant ? request.caller.tenant : tenant,
                     argument(query, "model"),
                     batch};
  return answer_with_value(services.reads, request.http, sql, std::move(params));
}

Co<HttpReply> answer_about(Services& services, const ApiRequest& request, int status) {
  const auto id = parse_id(request.names[0]);
  if (!id) return reply_with(no_such_task(request.names[0]));
  PgParams params = {std::to_string(*id), request.caller.tenant};
  std::string statement = in_name_of(request.caller.key_id, request.sql, params);
  return task_reply(services.database.query(request.http, std::move(statement), std::move(params)),
                    *id, status);
}

}  // namespace

HttpReply no_such_task(std::string_view id) {
  const std::string shown = parse_id(id) ? std::string(id) : in_quotes(id);
  return error_reply(404, "not_found", fmt::format("there is no task {}", shown), "SL006",
                     "GET /v1/tasks lists what this key may see.");
}

Co<HttpReply> submit_tasks(Services& services, ApiRequest request) {
  std::optional<std::string> key;
  if (const auto given = request.http.header("idempotency-key"); !given.empty()) key = given;
  const auto dry_run = asks_dry_run(request.http.query);
  if (!dry_run) return reply_with(dry_run.error());
  // A request may be given as a string. PostgreSQL reads that, too.
  const std::string problem =
      json_requests_problem(request.http.body, json_values_max, request.body_values);
  if (!problem.empty()) {
    return reply_with(bad_request("the requests in the body's strings have " + problem));
  }
  const JsonOutline outline = json_outline(request.http.body);
  if (*dry_run && outline != JsonOutline::neither) {
    return estimate_tasks(services, std::move(request), std::move(key));
  }
  switch (outline) {
    case JsonOutline::object:
      return submit_one(services, std::move(request), std::move(key));
    case JsonOutline::array:
      return submit_array(services, std::move(request), std::move(key));
    case JsonOutline::neither:
      break;
  }
  return reply_with(bad_request("the body is neither a JSON object nor an array of some"));
}

Co<HttpReply> list_tasks(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = page_problem(query, pages_after, {"status", "model", "tenant", "batch_id"})) {
    return reply_with(std::move(*problem));
  }
  if (auto problem = unknown_value(query, "status", statuses)) {
    return reply_with(std::move(*problem));
  }
  auto status = argument(query, "status");
  return list(services, std::move(request), list_sql, std::move(status));
}

Co<HttpReply> list_dead_letters(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = page_problem(query, pages_after, {"model", "tenant", "batch_id"})) {
    return reply_with(std::move(*problem));
  }
  return list(services, std::move(request), dead_letters_sql, "failed");
}

Co<HttpReply> show_task(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0]);
  if (const auto wait = argument(request.http.query, "wait")) {
    const auto wait_ms = parse_poll_ms(*wait, wait_ms_max);
    if (!wait_ms) {
      co_return bad_argument("wait", "wait is a duration such as 30s, not " + in_quotes(*wait));
    }
    if (!id) co_return no_such_task(request.names[0]);
    const int64_t deadline_ns = services.clock.now_ns() + *wait_ms * ns_per_ms;
    std::optional<HttpReply> over = co_await wait_for_end(services, *id, request, deadline_ns);
    if (over) co_return std::move(*over);
  }
  if (!id) co_return no_such_task(request.names[0]);
  PgParams params = {std::to_string(*id), request.caller.tenant, request.caller.key_id};
  Co<HttpReply> reply =
      task_reply(services.database.query(request.http, task_sql, std::move(params)), *id);
  co_return co_await std::move(reply);
}

Co<HttpReply> stream_task(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0]);
  if (!id) co_return no_such_task(request.names[0]);
  std::optional<HttpReply> problem =
      co_await wait_for_end(services, *id, request, services.clock.now_ns());
  if (problem) co_return std::move(*problem);
  const int64_t until_ns = services.clock.now_ns() + services.stream_life_ns;
  const auto stream = std::make_shared<StateStream>(
      StateStream{services, Requester(request.http.client), *id, request.caller.tenant,
                  request.caller.key_id, until_ns});
  HttpReply reply;
  reply.content_type = "text/event-stream";
  reply.headers.emplace_back("Cache-Control", "no-cache");
  reply.more = [stream] { return next_state(stream); };
  co_return reply;
}

Co<HttpReply> answer_about_task(Services& services, ApiRequest request) {
  return answer_about(services, request, 200);
}

Co<HttpReply> redrive_task(Services& services, ApiRequest request) {
  return answer_about(services, request, 202);
}

}  // namespace sluice
