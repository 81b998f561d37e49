#include "api/trial_handlers.h"

#include <fmt/format.h>

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"

namespace sluice {
namespace {

constexpr std::string_view no_such_shadow = "there is no such shadow";

// 201 with what `sql` makes of the body, $1.
Co<HttpReply> answer_with_new(Services& services, ApiRequest request, const char* sql) {
  return answer_with_body(services.database, std::move(request), sql, PgParams(), 201);
}

// The state that `function` gives the ramp or shadow that $1 names, for the reason in the body.
Co<HttpReply> answer_with_state(Services& services, ApiRequest request, std::string name,
                                std::string_view function) {
  const std::string sql = fmt::format(
      "select json_build_object('state', sluice.{}($1, q.reason))"
      " from sluice.read_record(null::sluice.reasoning, $2::jsonb) q",
      function);
  if (request.http.body.empty()) request.http.body = "{}";
  PgParams params = {std::move(name)};
  return answer_with_body(services.database, std::move(request), sql, std::move(params));
}

Co<HttpReply> act_on_ramp(Services& services, ApiRequest request, std::string_view function) {
  std::string route = std::move(request.names[0]);
  return answer_with_state(services, std::move(request), std::move(route), function);
}

Co<HttpReply> act_on_shadow(Services& services, ApiRequest request, std::string_view function) {
  const auto id = parse_id(request.names[0]);
  if (!id) return reply_with(error_reply(404, "not_found", no_such_shadow, "SL006"));
  return answer_with_state(services, std::move(request), std::to_string(*id), function);
}

}  // namespace

Co<HttpReply> list_ramps(Services& services, ApiRequest request) {
  return answer_with_list(services.database, request.http, "sluice.ramps()");
}

// The subquery that shows it needs its id, so it comes after the start.
Co<HttpReply> start_ramp(Services& services, ApiRequest request) {
  return answer_with_new(
      services, std::move(request),
      "select (select to_json(r) from sluice.ramps() r where r.id = s.id) from ("
      "select sluice.start_ramp(q.route, q.model, q.share, q.steps, q.step_time, q.calls_min,"
      " q.error_margin, q.p95_margin, q.reason) as id"
      " from sluice.read_record(null::sluice.ramp_request, $1::jsonb) q offset 0) s");
}

Co<HttpReply> pause_ramp(Services& services, ApiRequest request) {
  return act_on_ramp(services, std::move(request), "pause_ramp");
}

Co<HttpReply> resume_ramp(Services& services, ApiRequest request) {
  return act_on_ramp(services, std::move(request), "resume_ramp");
}

Co<HttpReply> stop_ramp(Services& services, ApiRequest request) {
  return act_on_ramp(services, std::move(request), "stop_ramp");
}

Co<HttpReply> list_shadows(Services& services, ApiRequest request) {
  return answer_with_list(services.database, request.http, "sluice.shadows()");
}

Co<HttpReply> start_shadow(Services& services, ApiRequest request) {
  return answer_with_new(
      services, std::move(request),
      "select (select to_json(s) from sluice.shadows(n.id) s) from ("
      "select sluice.start_shadow(q.kind, q.name, q.changes, q.reason) as id"
      " from sluice.read_record(null::sluice.shadow_request, $1::jsonb) q offset 0) n");
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

Co<HttpReply> apply_shadow(Services& services, ApiRequest request) {
  return act_on_shadow(services, std::move(request), "apply_shadow");
}

Co<HttpReply> drop_shadow(Services& services, ApiRequest request) {
  return act_on_shadow(services, std::move(request), "drop_shadow");
}

}  // namespace sluice
