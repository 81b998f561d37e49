#include "api/key_handlers.h"

#include <fmt/format.h>

#include "api/answer_value.h"
#include "api/error_reply.h"
#include "api/page.h"
#include "command_error.h"
#include "json_text.h"

namespace sluice {
namespace {

constexpr const char* create_sql =
    "select json_build_object('id', $1::text, 'name', k.name, 'tenant', k.tenant, 'scopes', "
    "s.scopes)"
    " from sluice.read_record(null::sluice.new_key, $3::jsonb) k,"
    " lateral (select coalesce(k.scopes, '{submit,read}') as scopes) s,"
    " sluice.create_key($1, decode($2, 'hex'), k.name, k.tenant, s.scopes)";

// Newest first; $2: the id of the last one of the page before, or null.
constexpr const char* list_sql = R"(
  with page as (
    select k.*, row_number() over (order by k.created_at desc, k.id desc) as n from sluice.api_key k
    where $2::text is null
      or (k.created_at, k.id) < (select a.created_at, a.id from sluice.api_key a where a.id = $2)
    order by n limit $1::int + 1)
  select json_build_object('object', 'list',
    'data', coalesce(json_agg(to_jsonb(p) - array['sha256', 'n'] order by p.n) filter (where p.n <= $1::int), '[]'),
    'has_more', count(*) > $1::int,
    'next', (array_agg(p.id order by p.n desc) filter (where p.n <= $1::int))[1]) from page p)";

Result<NewKey> new_key() {
  try {
    return make_key();
  } catch (const CommandError& error) {
    return tl::unexpected(Error{Error::Action::bug, {}, error.what()});
  }
}

}  // namespace

Co<HttpReply> create_key(Services& services, ApiRequest request) {
  const Result<NewKey> key = new_key();
  if (!key) co_return error_reply(key.error());
  PgParams params = {key->id, key->sha256};
  HttpReply reply = co_await answer_with_body(services.database, std::move(request), create_sql,
                                              std::move(params), 201);
  if (reply.status == 201) {
    reply.body.insert(1, fmt::format("\"key\" : {}, ", json_string(key->text)));
    reply.headers.emplace_back("Cache-Control", "no-store");
  }
  co_return reply;
}

Co<HttpReply> list_keys(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  if (auto problem = page_problem(query, pages_after, {})) return reply_with(std::move(*problem));
  PgParams params = {page_limit(query, pages_after), argument(query, "after")};
  return answer_with_value(services.database, request.http, list_sql, std::move(params));
}

Co<HttpReply> revoke_key(Services& services, ApiRequest request) {
  PgParams params = {std::move(request.names[0])};
  return answer_with_value(services.database, request.http,
                           "select case when sluice.revoke_key($1)"
                           " then json_build_object('id', $1::text, 'revoked', true) end",
                           std::move(params), "no such key is in force", request.caller.key_id);
}

}  // namespace sluice
