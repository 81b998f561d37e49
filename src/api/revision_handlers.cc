#include "api/revision_handlers.h"

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "api/page.h"

namespace sluice {
namespace {

constexpr std::string_view kinds[] = {"models",  "routes",  "fallbacks",
                                      "tenants", "budgets", "settings"};

}  // namespace

Co<HttpReply> list_audit(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = page_problem(query, pages_before, {})) return reply_with(std::move(*problem));
  PgParams params = {argument(query, "before"), page_limit(query, pages_before)};
  return answer_with_value(services.database, request.http,
                           "select sluice.show_audit($1::bigint, $2::int)", std::move(params),
                           none_of_that_name, request.caller.key_id);
}

Co<HttpReply> list_revisions(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = page_problem(query, pages_before, {"kind", "name"})) {
    return reply_with(std::move(*problem));
  }
  if (auto problem = unknown_value(query, "kind", kinds)) return reply_with(std::move(*problem));
  PgParams params = {argument(query, "kind"), argument(query, "name"), argument(query, "before"),
                     page_limit(query, pages_before)};
  return answer_with_value(services.database, request.http,
                           "select sluice.show_revisions($1, $2, $3::bigint, $4::int)",
                           std::move(params), none_of_that_name, request.caller.key_id);
}

// It may delete a model, which waits for locks, some seconds in all.
Co<HttpReply> revert_revision(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0]);
  if (!id) return reply_with(error_reply(404, "not_found", "there is no such revision", "SL006"));
  if (request.http.body.empty()) request.http.body = "{}";
  PgParams params = {std::to_string(*id)};
  return answer_with_body(services.background, std::move(request),
                          "select sluice.revert_revision($1::bigint, coalesce(f.force, false))"
                          " from sluice.read_record(null::sluice.reverting, $2::jsonb) f",
                          std::move(params));
}

}  // namespace sluice
