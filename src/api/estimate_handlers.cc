#include "api/estimate_handlers.h"

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "json_object.h"

namespace sluice {
namespace {

constexpr std::string_view no_estimate = "there is no estimate";

}  // namespace

tl::expected<bool, HttpReply> asks_dry_run(const HttpFields& query) {
  const std::string_view value = find_field(query, "dry_run", "false");
  if (value == "true" || value == "false") return value == "true";
  return tl::unexpected(
      bad_argument("dry_run", "dry_run is true or false, not " + in_quotes(value)));
}

Co<HttpReply> estimate_tasks(Services& services, ApiRequest request,
                             std::optional<std::string> key) {
  std::string body = std::move(request.http.body);
  if (json_outline(body) == JsonOutline::object) {
    const std::string problem = json_object_problem(body);
    if (!problem.empty()) return reply_with(bad_json(problem));
    body = '[' + body + ']';
    key = std::nullopt;  // an array's tasks have keys of their own
  }
  PgParams params = {std::move(body), request.caller.tenant, std::move(key)};
  return answer_in_turn(services, std::move(request), "select sluice.estimate_array($1, $2, $3)",
                        std::move(params), no_estimate);
}

Co<HttpReply> estimate_batch(Services& services, ApiRequest request, bool is_messages) {
  PgParams params = {std::move(request.http.body), request.caller.tenant,
                     is_messages ? "true" : "false"};
  return answer_in_turn(services, std::move(request),
                        "select sluice.estimate_batch($1, $2, $3::boolean)", std::move(params),
                        no_estimate);
}

}  // namespace sluice
