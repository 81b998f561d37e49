#include "api/trial_handlers.h"

#include <fmt/format.h>

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"

namespace sluice {
namespace {

constexpr std::string_view no_such_shadow = "there is no such shadow";

// The state that the function of the route gives the ramp or shadow `name`, for the reason in the
// body.
Co<HttpReply> answer_with_state(Services& services, ApiRequest request, std::string name) {
  const std::string sql = fmt::format(
      "select json_build_object('state', sluice.{}($1, q.reason))"
      " from sluice.read_record(null::sluice.reasoning, $2::jsonb) q",
      request.sql);
  if (request.http.body.empty()) request.http.body = "{}";
  PgParams params = {std::move(name)};
  return answer_with_body(services.database, std::move(request), sql, std::move(params));
}

}  // namespace

Co<HttpReply> act_on_ramp(Services& services, ApiRequest request) {
  std::string route = std::move(request.names[0]);
  return answer_with_state(services, std::move(request), std::move(route));
}

Co<HttpReply> act_on_shadow(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0]);
  if (!id) return reply_with(error_reply(404, "not_found", no_such_shadow, "SL006"));
  return answer_with_state(services, std::move(request), std::to_string(*id));
}

Co<HttpReply> show_shadow(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0]);
  if (!id) return reply_with(error_reply(404, "not_found", no_such_shadow, "SL006"));
  PgParams params = {std::to_string(*id)};
  return answer_with_value(services.database, request.http,
                           "select to_jsonb(s) || jsonb_build_object('hours', (select"
                           " coalesce(jsonb_agg(h), '[]') from sluice.shadow_hours(s.id) h))"
                           " from sluice.shadows($1::bigint) s",
                           std::move(params), no_such_shadow);
}

}  // namespace sluice
