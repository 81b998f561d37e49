#include "api/statement_handlers.h"

#include <fmt/format.h>

#include "api/answer_value.h"
#include "api/error_reply.h"
#include "api/page.h"

namespace sluice {
namespace {

PgParams names_of(const ApiRequest& request) {
  return {request.names.begin(), request.names.end()};
}

Co<HttpReply> forbidden_to_tenants_key() {
  return reply_with(error_reply(403, "forbidden", "this key is for one tenant's tasks alone", {},
                                "What concerns all tenants needs a key without a tenant: sluice "
                                "key create NAME --scope read."));
}

// The triggers of the audit and of the revisions are told the key, and the query's reason.
Co<HttpReply> answer_with_deletion(PgPool& database, const ApiRequest& request) {
  PgParams params = {request.names[0], request.caller.key_id.value_or(""),
                     argument(request.http.query, "reason").value_or("")};
  std::string sql = fmt::format(
      "with gone as (delete from sluice.{} = $1 and {} returning 1)"
      " select json_build_object('name', $1::text, 'deleted', true)"
      " from gone, set_config('sluice.api_key', $2, true) key,"
      " set_config('sluice.reason', $3, true) reason limit 1",
      request.sql, waits_briefly);
  return value_of(database.query(request.http, std::move(sql), std::move(params)),
                  none_of_that_name);
}

}  // namespace

Co<HttpReply> answer_statement(Services& services, ApiRequest request) {
  return answer_with_value(services.database, request.http, request.sql, names_of(request),
                           none_of_that_name, request.caller.key_id);
}

Co<HttpReply> answer_rows(Services& services, ApiRequest request) {
  const std::string sql = fmt::format(
      "select json_build_object('object', 'list', 'data', coalesce(json_agg(r), '[]')) from {} r",
      request.sql);
  return answer_with_value(services.database, request.http, sql, PgParams());
}

Co<HttpReply> answer_for_all_tenants(Services& services, ApiRequest request) {
  if (request.caller.tenant) return forbidden_to_tenants_key();
  return answer_with_value(services.reads, request.http, request.sql, names_of(request),
                           none_of_that_name, request.caller.key_id);
}

Co<HttpReply> answer_for_all_tenants_now(Services& services, ApiRequest request) {
  if (request.caller.tenant) return forbidden_to_tenants_key();
  return answer_statement(services, std::move(request));
}

Co<HttpReply> answer_body(Services& services, ApiRequest request) {
  PgParams names = names_of(request);
  const std::string_view sql = request.sql;
  return answer_with_body(services.database, std::move(request), sql, std::move(names));
}

Co<HttpReply> answer_new(Services& services, ApiRequest request) {
  const std::string_view sql = request.sql;
  return answer_with_body(services.database, std::move(request), sql, PgParams(), 201);
}

Co<HttpReply> answer_names(Services& services, ApiRequest request) {
  PgParams params = {request.names[0], argument(request.http.query, "reason")};
  const std::string sql = fmt::format(
      "select case when set_config('sluice.reason', coalesce($2, ''), true) is not null"
      " then ({}) end",
      request.sql);
  return answer_with_body(services.database, std::move(request), sql, std::move(params));
}

Co<HttpReply> answer_deletion(Services& services, ApiRequest request) {
  return answer_with_deletion(services.database, request);
}

Co<HttpReply> answer_model_deletion(Services& services, ApiRequest request) {
  return answer_with_deletion(services.background, request);
}

Co<HttpReply> write_budget(Services& services, ApiRequest request) {
  const std::string sql = fmt::format(
      "select c || coalesce((select jsonb_build_object('unpriced', f.unpriced,"
      " 'unbounded', f.unbounded) from sluice.budget_failures(c ->> 'name') f limit 1),"
      " '{{\"unpriced\": [], \"unbounded\": []}}')"
      " from sluice.configure('budgets', $1, $2::jsonb, {}) c",
      request.http.method == "PUT");
  PgParams names = names_of(request);
  return answer_with_body(services.database, std::move(request), sql, std::move(names));
}

}  // namespace sluice
