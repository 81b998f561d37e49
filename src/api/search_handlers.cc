#include "api/search_handlers.h"

#include "api/answer_value.h"
#include "api/error_reply.h"
#include "api/page.h"
#include "api/task_handlers.h"

namespace sluice {
namespace {

// One SQL call: $1: the conditions of the query, $2: the key's tenant.
Co<HttpReply> answer_to_conditions(Services& services, ApiRequest request, const char* sql) {
  const auto tenant = argument(request.http.query, "tenant");
  if (tenant && request.caller.tenant && tenant != request.caller.tenant) {
    return reply_with(wrong_tenant());
  }
  PgParams params = {arguments_json(request.http.query), request.caller.tenant};
  return answer_with_value(services.reads, request.http, sql, std::move(params));
}

}  // namespace

Co<HttpReply> search_tasks(Services& services, ApiRequest request) {
  return answer_to_conditions(services, std::move(request),
                              "select sluice.search_tasks($1::jsonb, $2)");
}

Co<HttpReply> list_dead_letter_groups(Services& services, ApiRequest request) {
  constexpr std::string_view known[] = {"model", "tenant", "since", "before"};
  if (auto problem = unknown_argument(request.http.query, known)) {
    return reply_with(std::move(*problem));
  }
  return answer_to_conditions(services, std::move(request),
                              "select sluice.show_dead_letter_groups($1::jsonb, $2)");
}

Co<HttpReply> show_timeline(Services& services, ApiRequest request) {
  return answer_about_task(services, request, "select sluice.show_timeline($1::bigint, $2)");
}

Co<HttpReply> read_texts(Services& services, ApiRequest request) {
  return answer_about_task(services, request, "select sluice.read_texts($1::bigint, $2)");
}

}  // namespace sluice
