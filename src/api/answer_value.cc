#include "api/answer_value.h"

#include <fmt/format.h>

#include "api/error_reply.h"
#include "json_object.h"

namespace sluice {
namespace {

Co<HttpReply> value_of_body(Co<Result<PgResult>> reply, std::string body, int status) {
  const Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return error_reply(about_body(rows.error(), std::move(body)));
  co_return value_reply(rows, none_of_that_name, status);
}

}  // namespace

HttpReply value_reply(const Result<PgResult>& rows, std::string_view missing, int status) {
  if (!rows) return error_reply(rows.error());
  if (rows->rows() == 0 || rows->is_null(0, 0)) return error_reply(404, "not_found", missing);
  return json_reply(status, std::string(rows->text(0, 0)) + "\n");
}

Co<HttpReply> value_of(Co<Result<PgResult>> reply, std::string_view missing) {
  const Result<PgResult> rows = co_await std::move(reply);
  co_return value_reply(rows, missing);
}

// The value is a subquery that is evaluated where it is needed: after the condition.
std::string in_name_of(const std::optional<std::string>& key_id, std::string_view sql,
                       PgParams& params) {
  std::string condition(waits_briefly);
  if (key_id) {
    params.emplace_back(*key_id);
    condition +=
        fmt::format(" and set_config('sluice.api_key', ${}, true) is not null", params.size());
  }
  return fmt::format("select case when {} then ({}) end", condition, sql);
}

Co<HttpReply> answer_with_value(PgPool& database, Requester requester, std::string_view sql,
                                PgParams params, std::string_view missing,
                                const std::optional<std::string>& key_id) {
  std::string statement = in_name_of(key_id, sql, params);
  return value_of(database.query(std::move(requester), std::move(statement), std::move(params)),
                  missing);
}

Co<HttpReply> answer_with_value(Reads& reads, Requester requester, std::string_view sql,
                                PgParams params, std::string_view missing,
                                const std::optional<std::string>& key_id) {
  std::string statement = in_name_of(key_id, sql, params);
  return value_of(reads.query(std::move(requester), std::move(statement), std::move(params)),
                  missing);
}

Co<HttpReply> answer_with_body(PgPool& database, ApiRequest request, std::string_view sql,
                               PgParams params, int status) {
  std::string body = std::move(request.http.body);
  const std::string problem = json_object_problem(body);
  if (!problem.empty()) return reply_with(bad_json(problem));
  params.emplace_back(body);
  std::string statement = in_name_of(request.caller.key_id, sql, params);
  return value_of_body(database.query(request.http, std::move(statement), std::move(params)),
                       std::move(body), status);
}

Co<HttpReply> answer_in_turn(Services& services, ApiRequest request, std::string sql,
                             PgParams params, std::string_view missing) {
  BulkTurns::Place place(services.bulk, request.http);
  if (!place.is_taken()) co_return services.bulk.refusal();
  std::string statement = in_name_of(request.caller.key_id, sql, params);
  Co<Result<PgResult>> reply = place.query(std::move(statement), std::move(params));
  const Result<PgResult> rows = co_await std::move(reply);
  co_return value_reply(rows, missing);
}

}  // namespace sluice
