#include "api/batch_handlers.h"

#include <fmt/format.h>

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "api/estimate_handlers.h"
#include "api/stored_text.h"
#include "json_object.h"

namespace sluice {
namespace {

constexpr std::string_view no_such_batch = "there is no such batch";

// The differences between the two APIs.
struct Shape {
  std::string_view id_prefix;
  std::string_view create_sql;
  std::string_view after_name;  // of the query's argument; so is before_name
  std::string_view before_name;
  int list_limit_max;
  bool is_messages;
};

constexpr Shape openai = {"batch_", "select sluice.create_batch($1, $2)", "after", {}, 100, false};
constexpr Shape anthropic = {
    "msgbatch_", "select sluice.create_message_batch($1, $2)", "after_id", "before_id", 1000, true};
constexpr std::string_view list_limit_default = "20";

std::string text_of(bool value) {
  return value ? "true" : "false";
}

Co<HttpReply> create(Services& services, ApiRequest request, const Shape& shape) {
  const std::string problem = json_object_problem(request.http.body);
  if (!problem.empty()) co_return bad_json(problem);
  const auto dry_run = asks_dry_run(request.http.query);
  if (!dry_run) co_return dry_run.error();
  if (*dry_run) {
    Co<HttpReply> estimation = estimate_batch(services, std::move(request), shape.is_messages);
    co_return co_await std::move(estimation);
  }
  const std::string key(request.http.header("idempotency-key"));
  PgParams params = {std::move(request.http.body), request.caller.tenant};
  std::string_view sql = shape.create_sql;
  if (!key.empty()) {
    sql = "select sluice.create_batch_once($3, $1, $2, $4::boolean)";
    params.emplace_back(key);
    params.emplace_back(text_of(shape.is_messages));
  }
  // Those of messages are validated at once: 50,000 requests take seconds.
  Co<HttpReply> creation =
      shape.is_messages
          ? answer_in_turn(services, request, std::string(sql), std::move(params), no_such_batch)
          : answer_with_value(services.database, request.http, sql, std::move(params),
                              no_such_batch, request.caller.key_id);
  HttpReply reply = co_await std::move(creation);
  services.batches.look();
  co_return reply;
}

// Of an argument that names a batch: its number as a parameter; false if it names none.
bool take_id(const ApiRequest& request, const Shape& shape, std::string_view name,
             std::optional<std::string>& parameter) {
  const std::string_view value = find_field(request.http.query, name);
  if (name.empty() || value.empty()) return true;
  const auto id = parse_id(value, shape.id_prefix);
  if (id) parameter = std::to_string(*id);
  return id.has_value();
}

Co<HttpReply> list(Services& services, ApiRequest request, const Shape& shape) {
  const auto limit = parse_count(find_field(request.http.query, "limit", list_limit_default), 1,
                                 shape.list_limit_max);
  if (!limit) {
    return reply_with(bad_request(fmt::format("limit is 1 to {}", shape.list_limit_max)));
  }
  PgParams params = {request.caller.tenant, text_of(shape.is_messages), std::nullopt, std::nullopt,
                     std::to_string(*limit)};
  if (!take_id(request, shape, shape.after_name, params[2].value) ||
      !take_id(request, shape, shape.before_name, params[3].value)) {
    return reply_with(bad_request("a page is bounded by a batch's id"));
  }
  return answer_with_value(
      services.database, request.http,
      "select sluice.list_batches($1, $2::boolean, $3::bigint, $4::bigint, $5::int)",
      std::move(params), no_such_batch);
}

// One call on the batch that the path names: $1 its number, $2 the tenant, $3 whose shape it has.
Co<HttpReply> answer_about(Services& services, const ApiRequest& request, const Shape& shape,
                           std::string_view sql) {
  const auto id = parse_id(request.names[0], shape.id_prefix);
  if (!id) return reply_with(error_reply(404, "not_found", no_such_batch));
  PgParams params = {std::to_string(*id), request.caller.tenant, text_of(shape.is_messages)};
  return answer_with_value(services.database, request.http, sql, std::move(params), no_such_batch);
}

constexpr std::string_view show_sql = "select sluice.show_batch($1::bigint, $2, $3::boolean)";

Co<HttpReply> cancel(Services& services, ApiRequest request, const Shape& shape) {
  HttpReply reply = co_await answer_about(
      services, request, shape, "select sluice.cancel_batch($1::bigint, $2, $3::boolean)");
  services.batches.look();
  co_return reply;
}

}  // namespace

Co<HttpReply> create_batch(Services& services, ApiRequest request) {
  return create(services, std::move(request), openai);
}

Co<HttpReply> list_batches(Services& services, ApiRequest request) {
  return list(services, std::move(request), openai);
}

Co<HttpReply> show_batch(Services& services, ApiRequest request) {
  return answer_about(services, request, openai, show_sql);
}

Co<HttpReply> cancel_batch(Services& services, ApiRequest request) {
  return cancel(services, std::move(request), openai);
}

Co<HttpReply> create_message_batch(Services& services, ApiRequest request) {
  return create(services, std::move(request), anthropic);
}

Co<HttpReply> list_message_batches(Services& services, ApiRequest request) {
  return list(services, std::move(request), anthropic);
}

Co<HttpReply> show_message_batch(Services& services, ApiRequest request) {
  return answer_about(services, request, anthropic, show_sql);
}

Co<HttpReply> cancel_message_batch(Services& services, ApiRequest request) {
  return cancel(services, std::move(request), anthropic);
}

Co<HttpReply> delete_message_batch(Services& services, ApiRequest request) {
  return answer_about(services, request, anthropic,
                      "select case when sluice.delete_batch($1::bigint, $2, $3::boolean) then"
                      " json_build_object('id', 'msgbatch_' || $1, 'type', 'message_batch_deleted')"
                      " end");
}

Co<HttpReply> send_message_batch_results(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0], anthropic.id_prefix);
  const Caller caller = request.caller;
  const Requester requester(request.http.client);
  HttpReply url = co_await answer_about(
      services, request, anthropic,
      "select coalesce(b ->> 'results_url', '') from sluice.show_batch($1::bigint, $2, $3::boolean)"
      " b where b is not null");
  if (url.status != 200) co_return url;
  if (url.body == "\n") {
    co_return bad_request("there are no results: it has not ended, or they are gone");
  }
  co_return send_parts(services, "select sluice.batch_results($1::bigint, $2, $3::int)", *id,
                       requester, caller);
}

}  // namespace sluice
