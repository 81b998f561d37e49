#include "api/queue_handlers.h"

#include "api/answer_value.h"
#include "api/error_reply.h"

namespace sluice {
namespace {

// One SQL call, to the primary or to what may be some seconds old; 403 to a key of one tenant.
template <class Database>
Co<HttpReply> answer_to_all_tenants_key(Database& database, const ApiRequest& request,
                                        const char* sql, PgParams params) {
  if (request.caller.tenant) {
    return reply_with(error_reply(403, "forbidden", "this key is for one tenant's tasks alone", {},
                                  "What concerns all tenants needs a key without a tenant: sluice "
                                  "key create NAME --scope read."));
  }
  return answer_with_value(database, request.http, sql, std::move(params), none_of_that_name,
                           request.caller.key_id);
}

}  // namespace

Co<HttpReply> list_queues(Services& services, ApiRequest request) {
  return answer_to_all_tenants_key(
      services.reads, request,
      "select json_build_object('object', 'list', 'data',"
      " coalesce(json_agg(to_jsonb(q) order by q.model), '[]')) from sluice.queues q",
      PgParams());
}

Co<HttpReply> show_queue(Services& services, ApiRequest request) {
  PgParams name = {request.names[0]};
  return answer_to_all_tenants_key(services.reads, request,
                                   "select to_jsonb(q) from sluice.queues q where q.model = $1",
                                   std::move(name));
}

Co<HttpReply> list_workers(Services& services, ApiRequest request) {
  return answer_to_all_tenants_key(
      services.reads, request,
      "select json_build_object('object', 'list', 'data',"
      " coalesce(json_agg(to_jsonb(w) order by w.id), '[]')) from sluice.workers w",
      PgParams());
}

Co<HttpReply> show_overview(Services& services, ApiRequest request) {
  return answer_to_all_tenants_key(services.reads, request, "select sluice.show_overview()",
                                   PgParams());
}

Co<HttpReply> show_model_limits(Services& services, ApiRequest request) {
  PgParams name = {request.names[0]};
  // By the primary: no standby knows what the buckets hold.
  return answer_to_all_tenants_key(services.database, request,
                                   "select to_jsonb(l) from sluice.model_limits($1) l",
                                   std::move(name));
}

}  // namespace sluice
