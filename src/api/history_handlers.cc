#include "api/history_handlers.h"

#include "api/answer_value.h"
#include "api/error_reply.h"
#include "api/page.h"

namespace sluice {
namespace {

constexpr std::string_view arguments[] = {"step",   "since", "until", "model",
                                          "tenant", "by",    "format"};

}  // namespace

Co<HttpReply> show_history(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = unknown_argument(query, arguments)) co_return std::move(*problem);
  const auto tenant = argument(query, "tenant");
  if (tenant && request.caller.tenant && tenant != request.caller.tenant) co_return wrong_tenant();
  const std::string format = argument(query, "format").value_or("json");
  PgParams params = {argument(query, "step").value_or("minute"),
                     argument(query, "since"),
                     argument(query, "until"),
                     argument(query, "model"),
                     request.caller.tenant ? request.caller.tenant : tenant,
                     argument(query, "by").value_or("none"),
                     format};
  std::string statement = in_name_of(
      request.caller.key_id, "select sluice.history_page($1, $2, $3, $4, $5, $6, $7)", params);
  Co<Result<PgResult>> reply =
      services.reads.query(request.http, std::move(statement), std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return error_reply(rows.error());
  HttpReply page = json_reply(200, std::string(rows->text(0, 0)) + "\n");
  if (format == "csv") page.content_type = "text/csv; charset=utf-8";
  co_return page;
}

}  // namespace sluice
