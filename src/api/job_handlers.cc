#include "api/job_handlers.h"

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "api/page.h"
#include "json_object.h"

namespace sluice {
namespace {

constexpr std::string_view no_such_job = "there is no such job";

}  // namespace

// Its tasks are counted at once, for as long as a step of a bulk request takes at most.
Co<HttpReply> start_job(Services& services, ApiRequest request) {
  std::string body = std::move(request.http.body);
  const std::string problem = json_object_problem(body);
  if (!problem.empty()) co_return bad_json(problem);
  const bool is_preview = json_flag(body, "dry_run");
  BulkTurns::Place place(services.bulk, request.http);
  if (!place.is_taken()) co_return services.bulk.refusal();
  PgParams params = {request.caller.tenant, body};
  std::string statement =
      in_name_of(request.caller.key_id, "select sluice.post_job($2::jsonb, $1)", params);
  Co<Result<PgResult>> started = place.query(std::move(statement), std::move(params));
  const Result<PgResult> rows = co_await std::move(started);
  if (!rows) {
    Error error = about_body(rows.error(), std::move(body));
    if (error.param == "target") error.param = "to";
    co_return error_reply(error);
  }
  co_return value_reply(rows, no_such_job, is_preview ? 200 : 201);
}

Co<HttpReply> list_jobs(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = page_problem(query, pages_before, {})) return reply_with(std::move(*problem));
  PgParams params = {request.caller.tenant, argument(query, "before"),
                     page_limit(query, pages_before)};
  return answer_with_value(services.database, request.http,
                           "select sluice.list_jobs($1, $2::bigint, $3::int)", std::move(params),
                           no_such_job);
}

Co<HttpReply> answer_about_job(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0]);
  if (!id) return reply_with(error_reply(404, "not_found", no_such_job, "SL006"));
  PgParams params = {std::to_string(*id), request.caller.tenant};
  return answer_with_value(services.database, request.http, request.sql, std::move(params),
                           no_such_job, request.caller.key_id);
}

}  // namespace sluice
