#include "api/search_handlers.h"

#include "api/answer_value.h"
#include "api/error_reply.h"
#include "api/page.h"

namespace sluice {
namespace {

Co<HttpReply> answer_to_conditions(Services& services, ApiRequest request) {
  const auto tenant = argument(request.http.query, "tenant");
  if (tenant && request.caller.tenant && tenant != request.caller.tenant) {
    return reply_with(wrong_tenant());
  }
  PgParams params = {arguments_json(request.http.query), request.caller.tenant};
  return answer_with_value(services.reads, request.http, request.sql, std::move(params));
}

}  // namespace

Co<HttpReply> search_tasks(Services& services, ApiRequest request) {
  return answer_to_conditions(services, std::move(request));
}

Co<HttpReply> list_dead_letter_groups(Services& services, ApiRequest request) {
  constexpr std::string_view known[] = {"model", "tenant", "since", "before"};
  if (auto problem = unknown_argument(request.http.query, known)) {
    return reply_with(std::move(*problem));
  }
  return answer_to_conditions(services, std::move(request));
}

}  // namespace sluice
