#include "api/revision_handlers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "api/page.h"

namespace sluice {
namespace {

constexpr std::string_view kinds[] = {"models",  "routes",  "fallbacks",
                                      "tenants", "budgets", "settings"};
constexpr int limit_max = 200;
constexpr const char* limit_default = "50";

// Why `query` asks for no page: an argument beside before, limit and `others`, or one out of its
// bounds.
std::optional<HttpReply> problem_of(const HttpFields& query,
                                    std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> known = {"before", "limit"};
  known.insert(known.end(), others);
  if (const std::string_view name = unknown_argument(query, known); !name.empty()) {
    return bad_argument(name, "unknown argument " + in_quotes(name),
                        fmt::format("The arguments are: {}.", fmt::join(known, ", ")));
  }
  const auto before = argument(query, "before");
  if (before && !parse_id(*before)) {
    return bad_argument("before", "before is the id of a row, not " + in_quotes(*before));
  }
  const auto limit = argument(query, "limit").value_or(limit_default);
  if (parse_count(limit, 1, limit_max)) return std::nullopt;
  return bad_argument("limit",
                      fmt::format("limit is 1 to {}, not {}", limit_max, in_quotes(limit)));
}

}  // namespace

Co<HttpReply> list_audit(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = problem_of(query, {})) return reply_with(std::move(*problem));
  PgParams params = {argument(query, "before"), argument(query, "limit").value_or(limit_default)};
  return answer_with_value(services.database, request.http,
                           "select sluice.show_audit($1::bigint, $2::int)", std::move(params),
                           none_of_that_name, request.caller.key_id);
}

Co<HttpReply> list_revisions(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = problem_of(query, {"kind", "name"})) return reply_with(std::move(*problem));
  const auto kind = argument(query, "kind");
  if (kind && std::find(std::begin(kinds), std::end(kinds), *kind) == std::end(kinds)) {
    return reply_with(bad_argument("kind", "there is no kind " + in_quotes(*kind),
                                   fmt::format("It is one of {}.", fmt::join(kinds, ", "))));
  }
  PgParams params = {kind, argument(query, "name"), argument(query, "before"),
                     argument(query, "limit").value_or(limit_default)};
  return answer_with_value(services.database, request.http,
                           "select sluice.show_revisions($1, $2, $3::bigint, $4::int)",
                           std::move(params), none_of_that_name, request.caller.key_id);
}

// It may delete a model, which waits for locks, some seconds in all.
Co<HttpReply> revert_revision(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0]);
  if (!id) return reply_with(error_reply(404, "not_found", "there is no such revision", "SL006"));
  std::string body = request.http.body.empty() ? "{}" : std::move(request.http.body);
  PgParams params = {std::to_string(*id)};
  return answer_with_body(services.background, request.http,
                          "select sluice.revert_revision($1::bigint, coalesce(f.force, false))"
                          " from sluice.read_record(null::sluice.reverting, $2::jsonb) f",
                          std::move(params), std::move(body), 200,
                          std::move(request.caller.key_id));
}

}  // namespace sluice
