#include "api/bulk_handlers.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "json_object.h"
#include "json_text.h"

namespace sluice {
namespace {

// A client waits so long for one answer; then it is told that there is more.
constexpr int64_t forget_ns_max = 25 * ns_per_s;

// $1: the key's tenant, if it has one; $2: the body. All that one tenant has, or anybody, is what
// ended, or was submitted, before the end of time.
std::string bulk_sql(std::string_view result, std::string_view function, std::string_view type,
                     std::string_view more = {}) {
  return fmt::format(
      "select json_build_object('{}', sluice.{}(model => c.model,"
      " tenant => coalesce($1, c.tenant), metadata => c.metadata, batch_id => c.batch_id,"
      " since => c.since, until => coalesce(c.until, case when c.everything then timestamptz "
      "'infinity' "
      "end){}))"
      " from sluice.read_record(null::sluice.{}, $2::jsonb) c",
      result, function, more, type);
}

// Statics, for the coroutines keep no copy.
const std::string cancel_sql = bulk_sql("cancelled", "cancel_all", "conditions");
const std::string redrive_sql =
    bulk_sql("redriven", "redrive_all", "failed_conditions",
             ", error_like => c.error_like, error_code => c.error_code");
const std::string forget_sql = fmt::format("select (({})->>'forgotten')::bigint",
                                           bulk_sql("forgotten", "forget_all", "conditions"));

// Why nothing is to be done with `body`.
std::optional<HttpReply> bulk_problem(std::string& body, const Caller& caller) {
  const std::string problem = json_object_problem(body);
  if (!problem.empty()) return error_reply(400, "invalid_request", problem);
  const HttpFields fields = json_fields(body);
  // Beside the key's tenant SQL would take no condition for one.
  const bool has_condition = std::any_of(fields.begin(), fields.end(), [](const auto& field) {
    return field.second != "null" && field.second != "false" &&
           field.second.find_first_not_of("{} \t\r\n") != std::string::npos;
  });
  if (!has_condition) {
    return bad_argument("everything", "there is no condition",
                        R"(Give one, such as {"model": "m"}, or {"everything": true}.)");
  }
  const std::string_view tenant = find_field(fields, "tenant", "null");
  if (caller.tenant && tenant != "null" && tenant != json_string(*caller.tenant)) {
    return wrong_tenant();
  }
  return std::nullopt;
}

Task<HttpReply> answer_in_bulk(Services& services, ApiRequest request, const std::string& sql) {
  std::string& body = request.http.body;
  if (auto problem = bulk_problem(body, request.caller)) return reply_with(std::move(*problem));
  PgParams tenant = {request.caller.tenant};
  return answer_with_body(services.bulk, sql, std::move(tenant), std::move(body), 200,
                          std::move(request.caller.key_id));
}

}  // namespace

Task<HttpReply> cancel_tasks(Services& services, ApiRequest request) {
  return answer_in_bulk(services, std::move(request), cancel_sql);
}

Task<HttpReply> redrive_tasks(Services& services, ApiRequest request) {
  return answer_in_bulk(services, std::move(request), redrive_sql);
}

// In steps, each a transaction of its own.
Task<HttpReply> forget_tasks(Services& services, ApiRequest request) {
  std::string body = std::move(request.http.body);
  if (auto problem = bulk_problem(body, request.caller)) co_return std::move(*problem);
  const int64_t deadline_ns = services.clock.now_ns() + forget_ns_max;
  int64_t forgotten = 0;
  int64_t step = 0;
  do {
    PgParams params = {request.caller.tenant, body};
    std::string statement = in_name_of(request.caller.key_id, forget_sql, params);
    Task<Result<PgResult>> reply = services.bulk.query(std::move(statement), std::move(params));
    Result<PgResult> rows = co_await std::move(reply);
    if (!rows) co_return error_reply(about_body(rows.error(), std::move(body)));
    step = rows->int64(0, 0);
    forgotten += step;
  } while (step > 0 && services.clock.now_ns() < deadline_ns);
  co_return json_reply(200,
                       fmt::format("{{\"forgotten\":{},\"has_more\":{}}}\n", forgotten, step > 0));
}

}  // namespace sluice
