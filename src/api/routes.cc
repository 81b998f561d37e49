#include "api/routes.h"

#include <algorithm>

#include "api/batch_handlers.h"
#include "api/bulk_handlers.h"
#include "api/completion_handlers.h"
#include "api/doctor.h"
#include "api/error_reply.h"
#include "api/file_handlers.h"
#include "api/history_handlers.h"
#include "api/job_handlers.h"
#include "api/key_handlers.h"
#include "api/live_handlers.h"
#include "api/revision_handlers.h"
#include "api/search_handlers.h"
#include "api/statement_handlers.h"
#include "api/task_handlers.h"
#include "api/trial_handlers.h"
#include "json_object.h"
#include "runtime/request_problem.h"

namespace sluice {
namespace {

// Of conditions and configuration: a list of thousands of names is 100 kB.
constexpr size_t small_bytes_max = size_t{1} << 20;
// 12 MB and 20 ms of PostgreSQL; 10,000 ids have as many.
constexpr int64_t small_values_max = 20'000;
// 40 for each of 50,000 requests. They are read one by one, up to 1 us for each value, and other
// bulk requests wait meanwhile.
constexpr int64_t message_batch_values_max = 2'000'000;

constexpr Route table[] = {
    {"POST", "/v1/tasks", Scope::submit, submit_tasks, {}, BodyKind::tasks},
    {"POST", "/task", Scope::submit, submit_tasks, {}, BodyKind::tasks},
    {"GET", "/v1/tasks", Scope::read, list_tasks},
    {"GET", "/v1/tasks/search", Scope::read, search_tasks,
     "select sluice.search_tasks($1::jsonb, $2)"},
    {"GET", "/v1/tasks/{}", Scope::read, show_task},
    {"DELETE", "/v1/tasks/{}", Scope::submit, answer_about_task,
     "select json_build_object('id', t.id, 'status', sluice.cancel(t.id))"
     " from sluice.task_of($1::bigint, $2) t"},
    {"GET", "/v1/tasks/{}/events", Scope::read, stream_task},
    {"GET", "/v1/tasks/{}/explain", Scope::read, answer_about_task,
     "select json_build_object('id', t.id, 'explanation', sluice.explain(t.id))"
     " from sluice.task_of($1::bigint, $2) t"},
    {"GET", "/v1/tasks/{}/timeline", Scope::read, answer_about_task,
     "select sluice.show_timeline($1::bigint, $2)"},
    {"GET", "/v1/tasks/{}/texts", Scope::read, answer_about_task,
     "select sluice.read_texts($1::bigint, $2)"},
    {"POST", "/v1/tasks/{}/redrive", Scope::submit, redrive_task,
     "select json_build_object('id', sluice.redrive(t.id))"
     " from sluice.task_of($1::bigint, $2) t"},
    {"POST", "/v1/tasks/{}/forget", Scope::submit, answer_about_task,
     "select json_build_object('id', t.id, 'forgotten', sluice.forget(t.id) is not null)"
     " from sluice.task_of($1::bigint, $2) t"},
    {"POST", "/v1/tasks/cancel", Scope::submit, cancel_tasks},
    {"POST", "/v1/tasks/redrive", Scope::submit, redrive_tasks},
    {"POST", "/v1/tasks/forget", Scope::submit, forget_tasks},
    {"POST", "/v1/jobs", Scope::submit, start_job},
    {"GET", "/v1/jobs", Scope::read, list_jobs},
    {"GET", "/v1/jobs/{}", Scope::read, answer_about_job, "select sluice.show_job($1::bigint, $2)"},
    {"POST", "/v1/jobs/{}/cancel", Scope::submit, answer_about_job,
     "select sluice.act_on_job($1::bigint, 'cancel', $2)"},
    {"POST", "/v1/jobs/{}/undo", Scope::submit, answer_about_job,
     "select sluice.act_on_job($1::bigint, 'undo', $2)"},
    {"GET", "/v1/dead-letters", Scope::read, list_dead_letters},
    {"GET", "/v1/dead-letters/groups", Scope::read, list_dead_letter_groups,
     "select sluice.show_dead_letter_groups($1::jsonb, $2)"},
    {"POST", "/v1/chat/completions", Scope::submit, complete_chat, {}, BodyKind::tasks},
    {"POST", "/v1/responses", Scope::submit, complete_response, {}, BodyKind::tasks},
    {"POST", "/v1/embeddings", Scope::submit, complete_embeddings, {}, BodyKind::tasks},
    {"POST", "/v1/messages", Scope::submit, complete_message, {}, BodyKind::tasks},
    {"POST", "/v1/files", Scope::submit, upload_file, {}, BodyKind::pieces},
    {"GET", "/v1/files", Scope::read, list_files},
    {"GET", "/v1/files/{}", Scope::read, answer_about_file,
     "select sluice.show_file($1::bigint, $2)"},
    {"DELETE", "/v1/files/{}", Scope::submit, answer_about_file,
     "select case when sluice.delete_file($1::bigint, $2) then"
     " json_build_object('id', 'file-' || $1, 'object', 'file', 'deleted', true) end"},
    {"GET", "/v1/files/{}/content", Scope::read, send_file,
     "select sluice.show_file($1::bigint, $2)"},
    {"POST", "/v1/batches", Scope::submit, create_batch},
    {"GET", "/v1/batches", Scope::read, list_batches},
    {"GET", "/v1/batches/{}", Scope::read, show_batch},
    {"POST", "/v1/batches/{}/cancel", Scope::submit, cancel_batch},
    {"POST", "/v1/messages/batches", Scope::submit, create_message_batch, {}, BodyKind::requests},
    {"GET", "/v1/messages/batches", Scope::read, list_message_batches},
    {"GET", "/v1/messages/batches/{}", Scope::read, show_message_batch},
    {"DELETE", "/v1/messages/batches/{}", Scope::submit, delete_message_batch},
    {"POST", "/v1/messages/batches/{}/cancel", Scope::submit, cancel_message_batch},
    {"GET", "/v1/messages/batches/{}/results", Scope::read, send_message_batch_results},
    {"GET", "/v1/models", Scope::read, answer_statement,
     "select json_build_object('object', 'list', 'data', coalesce(json_agg(json_build_object("
     "'id', name, 'object', 'model', 'created', 0, 'owned_by', 'sluice', 'has_price', has_price)"
     " order by name), '[]')) from (select name, name in (select p.model from sluice.price_rows() p"
     " where p.in_force and num_nonnulls(p.input, p.output, nullif(p.per_request, 0)) > 0)"
     " as has_price from sluice.models union select route, null from sluice.routes) m"},
    {"GET", "/v1/models/{}", Scope::read, answer_statement,
     "select jsonb_build_object('id', name, 'object', 'model', 'created', 0, 'owned_by', 'sluice')"
     " || case when sluice.acts_as_administrator() and m.url is not null"
     " then to_jsonb(m) - sluice.hidden_columns() else '{}' end"
     " from (select name from sluice.models union select route from sluice.routes) n"
     " left join sluice.models m using (name) where name = $1"},
    {"GET", "/v1/models/{}/limits", Scope::read, answer_for_all_tenants_now,
     "select to_jsonb(l) from sluice.model_limits($1) l"},
    {"PUT", "/v1/models/{}", Scope::admin, answer_body,
     "select sluice.configure('models', $1, $2::jsonb, true)"},
    {"PUT", "/model-config/{}", Scope::admin, answer_body,
     "select sluice.configure('models', $1, $2::jsonb, true)"},
    {"PATCH", "/v1/models/{}", Scope::admin, answer_body,
     "select sluice.configure('models', $1, $2::jsonb, false)"},
    {"DELETE", "/v1/models/{}", Scope::admin, answer_model_deletion, "models where name"},
    {"POST", "/v1/models/{}/pause", Scope::admin, answer_statement,
     "select json_build_object('name', $1::text, 'paused', true) from sluice.pause($1)"},
    {"POST", "/v1/models/{}/resume", Scope::admin, answer_statement,
     "select json_build_object('name', $1::text, 'paused', false) from sluice.resume($1)"},
    {"POST", "/v1/models/{}/close", Scope::admin, answer_body,
     "select json_build_object('name', $1::text, 'closed_until', coalesce(c.until, 'infinity'))"
     " from sluice.read_record(null::sluice.closing, $2::jsonb) c,"
     " sluice.close_model($1, coalesce(c.until, 'infinity'), c.reason)"},
    {"GET", "/v1/routes", Scope::admin, answer_statement,
     "select coalesce(json_object_agg(route, models order by route), '{}') from ("
     "select route, json_object_agg(model, case when tier = 1 then to_json(weight)"
     " else json_build_object('weight', weight, 'tier', tier) end order by model) as models"
     " from sluice.routes group by route) r"},
    {"GET", "/v1/routes/{}", Scope::admin, answer_statement,
     "select json_object_agg(model, case when tier = 1 then to_json(weight)"
     " else json_build_object('weight', weight, 'tier', tier) end order by model)"
     " from sluice.routes where route = $1"},
    {"GET", "/v1/routes/{}/choice", Scope::admin, answer_statement,
     "select json_build_object('route', c.route, 'prefer', c.prefer, 'models',"
     " json_agg(to_jsonb(c) - 'route' - 'prefer' order by c.model))"
     " from sluice.route_choices($1) c group by c.route, c.prefer"},
    {"PUT", "/v1/routes/{}", Scope::admin, answer_names,
     "select $3::jsonb from sluice.configure_route($1, $3::jsonb)"},
    {"PATCH", "/v1/routes/{}", Scope::admin, answer_names,
     "select json_build_object('route', $1::text, 'prefer', c.prefer)"
     " from sluice.read_record(null::sluice.route_change, $3::jsonb) c,"
     " sluice.set_prefer($1, c.prefer)"},
    {"DELETE", "/v1/routes/{}", Scope::admin, answer_deletion, "routes where route"},
    {"GET", "/v1/fallbacks", Scope::admin, answer_statement,
     "select coalesce(json_object_agg(target, models order by target), '{}') from ("
     "select target, json_object_agg(cause, to_model order by cause) as models"
     " from sluice.fallbacks group by target) f"},
    {"GET", "/v1/fallbacks/{}", Scope::admin, answer_statement,
     "select (select coalesce(json_object_agg(cause, to_model order by cause), '{}')"
     " from sluice.fallbacks where target = n.name)"
     " from (select name from sluice.models union select route from sluice.routes) n"
     " where n.name = $1"},
    {"PUT", "/v1/fallbacks/{}", Scope::admin, answer_names,
     "select $3::jsonb from sluice.configure_fallbacks($1, $3::jsonb)"},
    {"GET", "/v1/tenants", Scope::admin, answer_statement,
     "select json_build_object('object', 'list', 'data', coalesce(json_agg(to_jsonb(t)"
     " - sluice.hidden_columns() order by name), '[]')) from sluice.tenants t"},
    {"GET", "/v1/tenants/{}", Scope::admin, answer_statement,
     "select to_jsonb(t) - sluice.hidden_columns() from sluice.tenants t where name = $1"},
    {"PUT", "/v1/tenants/{}", Scope::admin, answer_body,
     "select sluice.configure('tenants', $1, $2::jsonb, true)"},
    {"PATCH", "/v1/tenants/{}", Scope::admin, answer_body,
     "select sluice.configure('tenants', $1, $2::jsonb, false)"},
    {"DELETE", "/v1/tenants/{}", Scope::admin, answer_deletion, "tenants where name"},
    {"GET", "/v1/prices", Scope::admin, answer_rows, "sluice.price_rows()"},
    {"GET", "/v1/prices/{}", Scope::admin, answer_statement,
     "select (select json_build_object('object', 'list', 'data', coalesce(json_agg(p), '[]'))"
     " from sluice.price_rows(m.name) p) from sluice.models m where m.name = $1"},
    {"PUT", "/v1/prices/{}", Scope::admin, answer_body,
     "select sluice.set_price(m.name, $2::jsonb) from sluice.models m where m.name = $1"},
    {"GET", "/v1/budgets", Scope::admin, answer_rows, "sluice.budget_rows()"},
    {"GET", "/v1/budgets/{}", Scope::admin, answer_statement,
     "select to_json(b) from sluice.budget_rows($1) b"},
    {"PUT", "/v1/budgets/{}", Scope::admin, write_budget},
    {"PATCH", "/v1/budgets/{}", Scope::admin, write_budget},
    {"DELETE", "/v1/budgets/{}", Scope::admin, answer_deletion, "budgets where name"},
    {"GET", "/v1/ramps", Scope::admin, answer_rows, "sluice.ramps()"},
    {"POST", "/v1/ramps", Scope::admin, answer_new,
     "select (select to_json(r) from sluice.ramps() r where r.id = s.id) from ("
     "select sluice.start_ramp(q.route, q.model, q.share, q.steps, q.step_time, q.calls_min,"
     " q.error_margin, q.p95_margin, q.reason) as id"
     " from sluice.read_record(null::sluice.ramp_request, $1::jsonb) q offset 0) s"},
    {"POST", "/v1/ramps/{}/pause", Scope::admin, act_on_ramp, "pause_ramp"},
    {"POST", "/v1/ramps/{}/resume", Scope::admin, act_on_ramp, "resume_ramp"},
    {"POST", "/v1/ramps/{}/stop", Scope::admin, act_on_ramp, "stop_ramp"},
    {"GET", "/v1/shadows", Scope::admin, answer_rows, "sluice.shadows()"},
    {"POST", "/v1/shadows", Scope::admin, answer_new,
     "select (select to_json(s) from sluice.shadows(n.id) s) from ("
     "select sluice.start_shadow(q.kind, q.name, q.changes, q.reason) as id"
     " from sluice.read_record(null::sluice.shadow_request, $1::jsonb) q offset 0) n"},
    {"GET", "/v1/shadows/{}", Scope::admin, show_shadow},
    {"POST", "/v1/shadows/{}/apply", Scope::admin, act_on_shadow, "apply_shadow"},
    {"POST", "/v1/shadows/{}/drop", Scope::admin, act_on_shadow, "drop_shadow"},
    {"GET", "/v1/settings", Scope::admin, answer_statement,
     "select to_jsonb(s) - sluice.hidden_columns() from sluice.settings s"},
    {"PUT", "/v1/settings", Scope::admin, answer_body,
     "select sluice.configure('settings', null, $1::jsonb, true)"},
    {"PATCH", "/v1/settings", Scope::admin, answer_body,
     "select sluice.configure('settings', null, $1::jsonb, false)"},
    {"GET", "/v1/audit", Scope::admin, list_audit},
    {"GET", "/v1/revisions", Scope::admin, list_revisions},
    {"POST", "/v1/revisions/{}/revert", Scope::admin, revert_revision},
    {"GET", "/v1/overview", Scope::read, answer_for_all_tenants, "select sluice.show_overview()"},
    {"GET", "/v1/queues", Scope::read, answer_for_all_tenants,
     "select json_build_object('object', 'list', 'data',"
     " coalesce(json_agg(to_jsonb(q) order by q.model), '[]')) from sluice.queues q"},
    {"GET", "/v1/queues/{}", Scope::read, answer_for_all_tenants,
     "select to_jsonb(q) from sluice.queues q where q.model = $1"},
    {"GET", "/v1/workers", Scope::read, answer_for_all_tenants,
     "select json_build_object('object', 'list', 'data',"
     " coalesce(json_agg(to_jsonb(w) order by w.id), '[]')) from sluice.workers w"},
    {"GET", "/v1/doctor", Scope::admin, show_findings},
    {"GET", "/v1/live", Scope::read, stream_live},
    {"GET", "/v1/history", Scope::read, show_history},
    {"POST", "/v1/keys", Scope::admin, create_key},
    {"GET", "/v1/keys", Scope::admin, list_keys},
    {"DELETE", "/v1/keys/{}", Scope::admin, revoke_key},
};

// Takes the first segment, with its slash, off `path`.
std::string_view take_segment(std::string_view& path) {
  const size_t end = std::min(path.find('/', 1), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  std::vector<std::string> names;
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view found = take_segment(path);
    if (wanted == "/{}") {
      auto name = percent_decode(found.substr(1));
      if (!name || name->empty()) return std::nullopt;
      names.push_back(std::move(*name));
    } else if (wanted != found) {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return names;
}

}  // namespace

std::span<const Route> routes() {
  return table;
}

RouteMatch find_route(std::span<const Route> routes, std::string_view method,
                      std::string_view path) {
  if (method == "HEAD") method = "GET";
  RouteMatch result;
  for (const Route& route : routes) {
    auto names = match(route.pattern, path);
    if (!names) continue;
    if (route.method == method) {
      result.route = &route;
      result.names = std::move(*names);
      return result;
    }
    if (!result.allowed.empty()) result.allowed += ", ";
    result.allowed += route.method;
  }
  return result;
}

std::optional<HttpReply> body_refusal(std::string_view body, BodyKind kind, int64_t* values) {
  int64_t values_max = json_values_max;
  if (kind == BodyKind::small) {
    if (body.size() > small_bytes_max) {
      return error_reply(413, "too_large", "the body is above 1 MiB: more than this route takes");
    }
    values_max = small_values_max;
  }
  if (kind == BodyKind::requests) values_max = message_batch_values_max;
  const std::string problem = json_cost_problem(body, values_max, values);
  if (problem.empty()) return std::nullopt;
  return bad_request("the body has " + problem);
}

bool is_read_in_pieces(std::string_view method, std::string_view path) {
  // Asked of every request: the others' paths are not looked at.
  return std::any_of(std::begin(table), std::end(table), [&](const Route& route) {
    return route.body == BodyKind::pieces && route.method == method && match(route.pattern, path);
  });
}

}  // namespace sluice
