#include "api/configuration_handlers.h"

#include <fmt/format.h>

#include "api/answer_value.h"
#include "api/page.h"

namespace sluice {
namespace {

// The models of each route. One of the first tier, as most are, is its weight alone.
constexpr const char* models_of_routes =
    "select route, json_object_agg(model, case when tier = 1 then to_json(weight)"
    " else json_build_object('weight', weight, 'tier', tier) end order by model) as models"
    " from sluice.routes group by route";
const std::string list_routes_sql = fmt::format(
    "select coalesce(json_object_agg(route, models order by route), '{{}}') from ({}) r",
    models_of_routes);
const std::string show_route_sql =
    fmt::format("select models from ({}) r where route = $1", models_of_routes);

// $1: the name in the path; $2: the body.
Co<HttpReply> answer_with_name_and_body(Services& services, ApiRequest request,
                                        std::string_view sql) {
  PgParams name = {std::move(request.names[0])};
  return answer_with_body(services.database, std::move(request), sql, std::move(name));
}

// The same for a body whose keys are names: the reason, which the change's revision has, is an
// argument of the query. $3: the body.
Co<HttpReply> answer_with_name_and_names(Services& services, ApiRequest request,
                                         std::string_view sql) {
  PgParams params = {std::move(request.names[0]), argument(request.http.query, "reason")};
  const std::string statement = fmt::format(
      "select case when set_config('sluice.reason', coalesce($2, ''), true) is not null"
      " then ({}) end",
      sql);
  return answer_with_body(services.database, std::move(request), statement, std::move(params));
}

Co<HttpReply> answer_with_name(Services& services, ApiRequest request, std::string_view sql) {
  PgParams params = {std::move(request.names[0])};
  return answer_with_value(services.database, request.http, sql, std::move(params),
                           none_of_that_name, request.caller.key_id);
}

// Deletes the rows of `table` whose `column` is the name, and tells the triggers of the audit and
// of the revisions the key, and the query's reason.
Co<HttpReply> answer_with_deletion(PgPool& database, ApiRequest request, std::string_view table,
                                   std::string_view column) {
  PgParams params = {std::move(request.names[0]), request.caller.key_id.value_or(""),
                     argument(request.http.query, "reason").value_or("")};
  std::string sql = fmt::format(
      "with gone as (delete from sluice.{0} where {1} = $1 and {2} returning {1})"
      " select json_build_object('name', {1}, 'deleted', true)"
      " from gone, set_config('sluice.api_key', $2, true) key,"
      " set_config('sluice.reason', $3, true) reason limit 1",
      table, column, waits_briefly);
  return value_of(database.query(request.http, std::move(sql), std::move(params)),
                  none_of_that_name);
}

}  // namespace

// The shape is OpenAI's; a route can be named wherever a model can. has_price: whether what its
// calls cost is known; null of routes.
Co<HttpReply> list_models(Services& services, ApiRequest request) {
  return answer_with_value(
      services.database, request.http,
      "select json_build_object('object', 'list', 'data', coalesce(json_agg(json_build_object("
      "'id', name, 'object', 'model', 'created', 0, 'owned_by', 'sluice', 'has_price', has_price)"
      " order by name), '[]')) from ("
      "select name, name in (select p.model from sluice.price_rows() p where p.in_force"
      " and num_nonnulls(p.input, p.output, nullif(p.per_request, 0)) > 0) as has_price"
      " from sluice.models"
      " union select route, null from sluice.routes) m",
      PgParams());
}

// OpenAI's shape, and for administrators the settings besides.
Co<HttpReply> show_model(Services& services, ApiRequest request) {
  PgParams params = {std::move(request.names[0]), request.caller.is_admin ? "true" : "false"};
  return answer_with_value(
      services.database, request.http,
      "select jsonb_build_object('id', name, 'object', 'model', 'created', 0, 'owned_by', 'sluice')"
      " || case when $2::boolean and m.url is not null"
      " then to_jsonb(m) - sluice.hidden_columns() else '{}' end"
      " from (select name from sluice.models union select route from sluice.routes) n"
      " left join sluice.models m using (name) where name = $1",
      std::move(params));
}

Co<HttpReply> replace_model(Services& services, ApiRequest request) {
  return answer_with_name_and_body(services, std::move(request),
                                   "select sluice.configure('models', $1, $2::jsonb, true)");
}

Co<HttpReply> change_model(Services& services, ApiRequest request) {
  return answer_with_name_and_body(services, std::move(request),
                                   "select sluice.configure('models', $1, $2::jsonb, false)");
}

Co<HttpReply> pause_model(Services& services, ApiRequest request) {
  return answer_with_name(services, std::move(request),
                          "select json_build_object('name', $1::text, 'paused', true)"
                          " from sluice.pause($1)");
}

Co<HttpReply> resume_model(Services& services, ApiRequest request) {
  return answer_with_name(services, std::move(request),
                          "select json_build_object('name', $1::text, 'paused', false)"
                          " from sluice.resume($1)");
}

Co<HttpReply> close_model(Services& services, ApiRequest request) {
  return answer_with_name_and_body(
      services, std::move(request),
      "select json_build_object('name', $1::text, 'closed_until', coalesce(c.until, 'infinity'))"
      " from sluice.read_record(null::sluice.closing, $2::jsonb) c,"
      " sluice.close_model($1, coalesce(c.until, 'infinity'), c.reason)");
}

// One with unfinished tasks stays: 409 says how many. It waits for locks, some seconds in all.
Co<HttpReply> delete_model(Services& services, ApiRequest request) {
  return answer_with_deletion(services.background, std::move(request), "models", "name");
}

Co<HttpReply> list_routes(Services& services, ApiRequest request) {
  return answer_with_value(services.database, request.http, list_routes_sql, PgParams());
}

Co<HttpReply> show_route(Services& services, ApiRequest request) {
  return answer_with_name(services, std::move(request), show_route_sql);
}

Co<HttpReply> delete_route(Services& services, ApiRequest request) {
  return answer_with_deletion(services.database, std::move(request), "routes", "route");
}

Co<HttpReply> replace_route(Services& services, ApiRequest request) {
  return answer_with_name_and_names(services, std::move(request),
                                    "select $3::jsonb from sluice.configure_route($1, $3::jsonb)");
}

// Which model it would choose now, and why.
Co<HttpReply> show_choice(Services& services, ApiRequest request) {
  return answer_with_name(services, std::move(request),
                          "select json_build_object('route', c.route, 'prefer', c.prefer, 'models',"
                          " json_agg(to_jsonb(c) - 'route' - 'prefer' order by c.model))"
                          " from sluice.route_choices($1) c group by c.route, c.prefer");
}

Co<HttpReply> change_route(Services& services, ApiRequest request) {
  return answer_with_name_and_names(
      services, std::move(request),
      "select json_build_object('route', $1::text, 'prefer', c.prefer)"
      " from sluice.read_record(null::sluice.route_change, $3::jsonb) c,"
      " sluice.set_prefer($1, c.prefer)");
}

Co<HttpReply> list_fallbacks(Services& services, ApiRequest request) {
  return answer_with_value(
      services.database, request.http,
      "select coalesce(json_object_agg(target, models order by target), '{}') from ("
      "select target, json_object_agg(cause, to_model order by cause) as models"
      " from sluice.fallbacks group by target) f",
      PgParams());
}

// A model or route without fallbacks has an empty object.
Co<HttpReply> show_fallbacks(Services& services, ApiRequest request) {
  return answer_with_name(
      services, std::move(request),
      "select (select coalesce(json_object_agg(cause, to_model order by cause), '{}')"
      " from sluice.fallbacks where target = n.name)"
      " from (select name from sluice.models union select route from sluice.routes) n"
      " where n.name = $1");
}

Co<HttpReply> replace_fallbacks(Services& services, ApiRequest request) {
  return answer_with_name_and_names(
      services, std::move(request),
      "select $3::jsonb from sluice.configure_fallbacks($1, $3::jsonb)");
}

Co<HttpReply> list_tenants(Services& services, ApiRequest request) {
  return answer_with_value(
      services.database, request.http,
      "select json_build_object('object', 'list', 'data', coalesce(json_agg(to_jsonb(t)"
      " - sluice.hidden_columns() order by name), '[]')) from sluice.tenants t",
      PgParams());
}

Co<HttpReply> show_tenant(Services& services, ApiRequest request) {
  return answer_with_name(services, std::move(request),
                          "select to_jsonb(t) - sluice.hidden_columns()"
                          " from sluice.tenants t where name = $1");
}

Co<HttpReply> replace_tenant(Services& services, ApiRequest request) {
  return answer_with_name_and_body(services, std::move(request),
                                   "select sluice.configure('tenants', $1, $2::jsonb, true)");
}

Co<HttpReply> change_tenant(Services& services, ApiRequest request) {
  return answer_with_name_and_body(services, std::move(request),
                                   "select sluice.configure('tenants', $1, $2::jsonb, false)");
}

Co<HttpReply> delete_tenant(Services& services, ApiRequest request) {
  return answer_with_deletion(services.database, std::move(request), "tenants", "name");
}

Co<HttpReply> list_prices(Services& services, ApiRequest request) {
  return answer_with_list(services.database, request.http, "sluice.price_rows()");
}

// A model without prices has an empty list.
Co<HttpReply> show_prices(Services& services, ApiRequest request) {
  return answer_with_name(
      services, std::move(request),
      "select (select json_build_object('object', 'list', 'data', coalesce(json_agg(p), '[]'))"
      " from sluice.price_rows(m.name) p) from sluice.models m where m.name = $1");
}

Co<HttpReply> set_price(Services& services, ApiRequest request) {
  return answer_with_name_and_body(services, std::move(request),
                                   "select sluice.set_price(m.name, $2::jsonb)"
                                   " from sluice.models m where m.name = $1");
}

Co<HttpReply> list_budgets(Services& services, ApiRequest request) {
  return answer_with_list(services.database, request.http, "sluice.budget_rows()");
}

Co<HttpReply> show_budget(Services& services, ApiRequest request) {
  return answer_with_name(services, std::move(request),
                          "select to_json(b) from sluice.budget_rows($1) b");
}

// Its row, and the models at which tasks that it counts fail.
Co<HttpReply> answer_with_budget(Services& services, ApiRequest request, bool replace) {
  const std::string sql = fmt::format(
      "select c || coalesce((select jsonb_build_object('unpriced', f.unpriced,"
      " 'unbounded', f.unbounded) from sluice.budget_failures(c ->> 'name') f limit 1),"
      " '{{\"unpriced\": [], \"unbounded\": []}}')"
      " from sluice.configure('budgets', $1, $2::jsonb, {}) c",
      replace);
  return answer_with_name_and_body(services, std::move(request), sql);
}

Co<HttpReply> replace_budget(Services& services, ApiRequest request) {
  return answer_with_budget(services, std::move(request), true);
}

Co<HttpReply> change_budget(Services& services, ApiRequest request) {
  return answer_with_budget(services, std::move(request), false);
}

Co<HttpReply> delete_budget(Services& services, ApiRequest request) {
  return answer_with_deletion(services.database, std::move(request), "budgets", "name");
}

Co<HttpReply> show_settings(Services& services, ApiRequest request) {
  return answer_with_value(services.database, request.http,
                           "select to_jsonb(s) - sluice.hidden_columns() from sluice.settings s",
                           PgParams());
}

Co<HttpReply> replace_settings(Services& services, ApiRequest request) {
  return answer_with_body(services.database, std::move(request),
                          "select sluice.configure('settings', null, $1::jsonb, true)", PgParams());
}

Co<HttpReply> change_settings(Services& services, ApiRequest request) {
  return answer_with_body(services.database, std::move(request),
                          "select sluice.configure('settings', null, $1::jsonb, false)",
                          PgParams());
}

}  // namespace sluice
