// The plainest kind of handler: one SQL call, and the JSON value that it returns.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/routes.h"

namespace sluice {

constexpr std::string_view none_of_that_name = "there is none of that name";

// A condition that is true: from then on the statement waits 1 s for each lock, for others wait for
// its connection. A step of ours holds one for less; a client's open transaction may have no end.
constexpr std::string_view waits_briefly = "set_config('lock_timeout', '1s', true) is not null";

// `sql`, a select of one value that changes no table by itself, in the name of the key `key_id`
// (nullopt: of none): it is what the audit notes, and without its scope admin the database says
// nothing of secrets. It waits briefly. May add a parameter.
std::string in_name_of(const std::optional<std::string>& key_id, std::string_view sql,
                       PgParams& params);

// `status` with the one value of `rows`; 404 with `missing` when it is null, or there is no row.
HttpReply value_reply(const Result<PgResult>& rows, std::string_view missing, int status = 200);

Co<HttpReply> value_of(Co<Result<PgResult>> reply, std::string_view missing);

// 200 with the one value of `sql`; 404 with `missing` when it is null, or there is no row.
// `missing`, here and below, outlives the answer; `sql` need not.
Co<HttpReply> answer_with_value(PgPool& database, Requester requester, std::string_view sql,
                                PgParams params, std::string_view missing = none_of_that_name,
                                const std::optional<std::string>& key_id = std::nullopt);

// 200 with the one value of `sql`, which may be some seconds old; 404 as above.
Co<HttpReply> answer_with_value(Reads& reads, Requester requester, std::string_view sql,
                                PgParams params, std::string_view missing = none_of_that_name,
                                const std::optional<std::string>& key_id = std::nullopt);

// As the first, in the name of the request's key, for a statement whose last parameter is its body,
// a JSON object: what is wrong with it is told by its keys. `status`: of the answer.
Co<HttpReply> answer_with_body(PgPool& database, ApiRequest request, std::string_view sql,
                               PgParams params, int status = 200);

// As the first, in the name of the request's key, for a statement that may take a second.
Co<HttpReply> answer_in_turn(Services& services, ApiRequest request, std::string sql,
                             PgParams params, std::string_view missing);

}  // namespace sluice
