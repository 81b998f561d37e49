#include "api/routes.h"

#include <algorithm>

#include "api/batch_handlers.h"
#include "api/bulk_handlers.h"
#include "api/completion_handlers.h"
#include "api/configuration_handlers.h"
#include "api/doctor.h"
#include "api/error_reply.h"
#include "api/file_handlers.h"
#include "api/history_handlers.h"
#include "api/job_handlers.h"
#include "api/key_handlers.h"
#include "api/live_handlers.h"
#include "api/queue_handlers.h"
#include "api/revision_handlers.h"
#include "api/search_handlers.h"
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
    {"POST", "/v1/tasks", Scope::submit, submit_tasks, BodyKind::tasks},
    {"POST", "/task", Scope::submit, submit_tasks, BodyKind::tasks},
    {"GET", "/v1/tasks", Scope::read, list_tasks},
    {"GET", "/v1/tasks/search", Scope::read, search_tasks},
    {"GET", "/v1/tasks/{}", Scope::read, show_task},
    {"DELETE", "/v1/tasks/{}", Scope::submit, cancel_task},
    {"GET", "/v1/tasks/{}/events", Scope::read, stream_task},
    {"GET", "/v1/tasks/{}/explain", Scope::read, explain_task},
    {"GET", "/v1/tasks/{}/timeline", Scope::read, show_timeline},
    {"GET", "/v1/tasks/{}/texts", Scope::read, read_texts},
    {"POST", "/v1/tasks/{}/redrive", Scope::submit, redrive_task},
    {"POST", "/v1/tasks/{}/forget", Scope::submit, forget_task},
    {"POST", "/v1/tasks/cancel", Scope::submit, cancel_tasks},
    {"POST", "/v1/tasks/redrive", Scope::submit, redrive_tasks},
    {"POST", "/v1/tasks/forget", Scope::submit, forget_tasks},
    {"POST", "/v1/jobs", Scope::submit, start_job},
    {"GET", "/v1/jobs", Scope::read, list_jobs},
    {"GET", "/v1/jobs/{}", Scope::read, show_job},
    {"POST", "/v1/jobs/{}/cancel", Scope::submit, cancel_job},
    {"POST", "/v1/jobs/{}/undo", Scope::submit, undo_job},
    {"GET", "/v1/dead-letters", Scope::read, list_dead_letters},
    {"GET", "/v1/dead-letters/groups", Scope::read, list_dead_letter_groups},
    {"POST", "/v1/chat/completions", Scope::submit, complete_chat, BodyKind::tasks},
    {"POST", "/v1/responses", Scope::submit, complete_response, BodyKind::tasks},
    {"POST", "/v1/embeddings", Scope::submit, complete_embeddings, BodyKind::tasks},
    {"POST", "/v1/messages", Scope::submit, complete_message, BodyKind::tasks},
    {"POST", "/v1/files", Scope::submit, upload_file, BodyKind::pieces},
    {"GET", "/v1/files", Scope::read, list_files},
    {"GET", "/v1/files/{}", Scope::read, show_file},
    {"DELETE", "/v1/files/{}", Scope::submit, delete_file},
    {"GET", "/v1/files/{}/content", Scope::read, send_file},
    {"POST", "/v1/batches", Scope::submit, create_batch},
    {"GET", "/v1/batches", Scope::read, list_batches},
    {"GET", "/v1/batches/{}", Scope::read, show_batch},
    {"POST", "/v1/batches/{}/cancel", Scope::submit, cancel_batch},
    {"POST", "/v1/messages/batches", Scope::submit, create_message_batch, BodyKind::message_batch},
    {"GET", "/v1/messages/batches", Scope::read, list_message_batches},
    {"GET", "/v1/messages/batches/{}", Scope::read, show_message_batch},
    {"DELETE", "/v1/messages/batches/{}", Scope::submit, delete_message_batch},
    {"POST", "/v1/messages/batches/{}/cancel", Scope::submit, cancel_message_batch},
    {"GET", "/v1/messages/batches/{}/results", Scope::read, send_message_batch_results},
    {"GET", "/v1/models", Scope::read, list_models},
    {"GET", "/v1/models/{}", Scope::read, show_model},
    {"GET", "/v1/models/{}/limits", Scope::read, show_model_limits},
    {"PUT", "/v1/models/{}", Scope::admin, replace_model},
    {"PUT", "/model-config/{}", Scope::admin, replace_model},
    {"PATCH", "/v1/models/{}", Scope::admin, change_model},
    {"DELETE", "/v1/models/{}", Scope::admin, delete_model},
    {"POST", "/v1/models/{}/pause", Scope::admin, pause_model},
    {"POST", "/v1/models/{}/resume", Scope::admin, resume_model},
    {"POST", "/v1/models/{}/close", Scope::admin, close_model},
    {"GET", "/v1/routes", Scope::admin, list_routes},
    {"GET", "/v1/routes/{}", Scope::admin, show_route},
    {"GET", "/v1/routes/{}/choice", Scope::admin, show_choice},
    {"PUT", "/v1/routes/{}", Scope::admin, replace_route},
    {"PATCH", "/v1/routes/{}", Scope::admin, change_route},
    {"DELETE", "/v1/routes/{}", Scope::admin, delete_route},
    {"GET", "/v1/fallbacks", Scope::admin, list_fallbacks},
    {"GET", "/v1/fallbacks/{}", Scope::admin, show_fallbacks},
    {"PUT", "/v1/fallbacks/{}", Scope::admin, replace_fallbacks},
    {"GET", "/v1/tenants", Scope::admin, list_tenants},
    {"GET", "/v1/tenants/{}", Scope::admin, show_tenant},
    {"PUT", "/v1/tenants/{}", Scope::admin, replace_tenant},
    {"PATCH", "/v1/tenants/{}", Scope::admin, change_tenant},
    {"DELETE", "/v1/tenants/{}", Scope::admin, delete_tenant},
    {"GET", "/v1/prices", Scope::admin, list_prices},
    {"GET", "/v1/prices/{}", Scope::admin, show_prices},
    {"PUT", "/v1/prices/{}", Scope::admin, set_price},
    {"GET", "/v1/budgets", Scope::admin, list_budgets},
    {"GET", "/v1/budgets/{}", Scope::admin, show_budget},
    {"PUT", "/v1/budgets/{}", Scope::admin, replace_budget},
    {"PATCH", "/v1/budgets/{}", Scope::admin, change_budget},
    {"DELETE", "/v1/budgets/{}", Scope::admin, delete_budget},
    {"GET", "/v1/ramps", Scope::admin, list_ramps},
    {"POST", "/v1/ramps", Scope::admin, start_ramp},
    {"POST", "/v1/ramps/{}/pause", Scope::admin, pause_ramp},
    {"POST", "/v1/ramps/{}/resume", Scope::admin, resume_ramp},
    {"POST", "/v1/ramps/{}/stop", Scope::admin, stop_ramp},
    {"GET", "/v1/shadows", Scope::admin, list_shadows},
    {"POST", "/v1/shadows", Scope::admin, start_shadow},
    {"GET", "/v1/shadows/{}", Scope::admin, show_shadow},
    {"POST", "/v1/shadows/{}/apply", Scope::admin, apply_shadow},
    {"POST", "/v1/shadows/{}/drop", Scope::admin, drop_shadow},
    {"GET", "/v1/settings", Scope::admin, show_settings},
    {"PUT", "/v1/settings", Scope::admin, replace_settings},
    {"PATCH", "/v1/settings", Scope::admin, change_settings},
    {"GET", "/v1/audit", Scope::admin, list_audit},
    {"GET", "/v1/revisions", Scope::admin, list_revisions},
    {"POST", "/v1/revisions/{}/revert", Scope::admin, revert_revision},
    {"GET", "/v1/overview", Scope::read, show_overview},
    {"GET", "/v1/queues", Scope::read, list_queues},
    {"GET", "/v1/queues/{}", Scope::read, show_queue},
    {"GET", "/v1/workers", Scope::read, list_workers},
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
  if (kind == BodyKind::message_batch) values_max = message_batch_values_max;
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
