// The plainest kind of handler: one SQL call, and the JSON value that it returns.
#pragma once

#include <string_view>

#include "api/pg_pool.h"
#include "runtime/http_server.h"

namespace sluice {

// 200 with the one value of `sql`; 404 with `missing` when it is null, or there is no row.
Task<HttpReply> answer_with_value(PgPool& database, std::string_view sql, PgParams params,
                                  std::string_view missing = "there is none of that name");

}  // namespace sluice
