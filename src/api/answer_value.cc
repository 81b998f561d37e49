#include "api/answer_value.h"

#include "api/error_reply.h"

namespace sluice {

Task<HttpReply> answer_with_value(PgPool& database, std::string_view sql, PgParams params,
                                  std::string_view missing) {
  Task<Result<PgResult>> reply = database.query(std::string(sql), std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return error_reply(rows.error());
  if (rows->rows() == 0 || rows->is_null(0, 0)) co_return error_reply(404, "not_found", missing);
  co_return json_reply(200, std::string(rows->text(0, 0)) + "\n");
}

}  // namespace sluice
