#include "api/completion_handlers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/arguments.h"
#include "api/error_reply.h"
#include "json_object.h"
#include "json_text.h"

namespace sluice {
namespace {

// Node's fetch gives up on an answer whose headers take 300 s, the SDKs on one that takes 600 s.
constexpr int64_t answer_wait_ns_max = 290 * ns_per_s;
constexpr int64_t stream_wait_ns_max = 590 * ns_per_s;
// Proxies cut off what is silent for 30 s or more.
constexpr int64_t keep_alive_ns = 10 * ns_per_s;

constexpr std::string_view chat_api = "openai-chat";
constexpr std::string_view embeddings_api = "openai-embeddings";

// A refusal between us and the provider (a wrong key, say) is not the client's own 401 or 403.
int client_status(std::string_view ended, std::optional<int> backend_status) {
  constexpr int for_client[] = {400, 404, 409, 413, 422};
  if (ended == "cancelled") return 409;
  if (ended == "expired") return 504;
  if (ended == "parked") return 503;
  const bool is_for_client =
      backend_status && std::find(std::begin(for_client), std::end(for_client), *backend_status) !=
                            std::end(for_client);
  return is_for_client ? *backend_status : 502;
}

// The queue has repeated what can be repeated: a client's own repetition would pay once more.
HttpReply final_error(int status, std::string_view type, std::string_view message,
                      std::string_view hint = {}) {
  HttpReply reply = error_reply(status, type, message, {}, hint);
  reply.headers.emplace_back("X-Should-Retry", "false");
  return reply;
}

// Of lines such as "x-ratelimit-limit-requests: 500".
HttpFields header_lines(std::string_view lines) {
  HttpFields headers;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    const size_t colon = line.find(": ");
    if (colon != std::string_view::npos) {
      headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return headers;
}

constexpr std::string_view goes_on_hint =
    "It goes on: ask for it at the address in Location. With an Idempotency-Key, the same request "
    "again waits for the same task.";

// Of a row of sluice.completion(): status, http_status, response, error_code and error, in this
// order, as look() selects them.
HttpReply reply_of(const PgResult& rows) {
  const std::string_view ended = rows.text(0, 0);
  if (ended == "solved" && !rows.is_null(0, 2)) {
    return json_reply(200, std::string(rows.text(0, 2)));
  }
  std::optional<int> backend_status;
  if (!rows.is_null(0, 1)) backend_status = static_cast<int>(rows.int64(0, 1));
  return final_error(client_status(ended, backend_status),
                     rows.is_null(0, 3) ? ended : rows.text(0, 3),
                     rows.is_null(0, 4) ? "the answer is not there any more" : rows.text(0, 4),
                     ended == "parked" ? goes_on_hint : "");
}

HttpReply not_ended_reply() {
  return final_error(504, "timeout", "the task has not ended yet", goes_on_hint);
}

bool passes(const Error& error) {
  return error.action == Error::Action::retry_later || error.action == Error::Action::reconnect;
}

// The answer `whole` as the text of its API's stream. PostgreSQL makes it, and must not read more
// than it would of a client: a backend may be hostile, too. An answer that takes it long goes
// through the pool for large requests, as large tasks do.
Co<HttpReply> events_reply(Services& services, Requester requester, int64_t id,
                           std::string_view api, HttpReply whole) {
  int64_t values = 0;
  const std::string problem = json_cost_problem(whole.body, json_values_max, &values);
  if (!problem.empty()) {
    co_return final_error(502, "bad_response", "the answer has " + problem,
                          "Ask for it without a stream.");
  }
  PgParams params = {std::to_string(id), std::string(api)};
  PgPool& pool = is_dear_json(whole.body.size(), values) ? services.large : services.database;
  // Here and below: a local, and then co_await, because of g++ 12 (runtime/co.h).
  Co<Result<PgResult>> reply =
      pool.query(std::move(requester),
                 "select sluice.events_of($2, c.response) from sluice.completion($1::bigint) c",
                 std::move(params));
  const Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return error_reply(rows.error());
  if (rows->rows() == 0 || rows->is_null(0, 0)) {
    co_return final_error(502, "bad_response", "the answer is none of its API, or is gone");
  }
  co_return json_reply(200, std::string(rows->text(0, 0)));
}

// The task's end as an answer, as_events: as the text of its API's stream; nullopt: it has none
// yet, or the database cannot say so now. (A client that was told of that would send its request
// again, as another task.)
Co<std::optional<HttpReply>> look(Services& services, Requester requester, int64_t id,
                                  std::string_view api, bool as_events) {
  PgParams params = {std::to_string(id), as_events ? "true" : "false"};
  Co<Result<PgResult>> reply = services.database.query(
      requester,
      "select c.status, c.http_status, c.response, c.error_code, c.error,"
      " case when $2::boolean then '' else sluice.rate_limit_headers($1::bigint) end"
      " from sluice.completion($1::bigint) c",
      std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  if (!rows && passes(rows.error())) co_return std::nullopt;
  if (!rows) co_return error_reply(rows.error());
  if (rows->rows() == 0) co_return std::nullopt;
  HttpReply end = reply_of(*rows);
  for (auto& header : header_lines(rows->text(0, 5))) end.headers.push_back(std::move(header));
  if (!as_events || end.status != 200) co_return end;
  Co<HttpReply> events = events_reply(services, std::move(requester), id, api, std::move(end));
  co_return co_await std::move(events);
}

// The stream of one completion: comments until the task has ended, then all of it at once.
struct CompletionStream {
  Services& services;
  Requester requester;
  int64_t id;
  std::string_view api;
  int64_t deadline_ns;
  bool is_over = false;
};

Co<Result<std::string>> next_part(std::shared_ptr<CompletionStream> stream) {
  if (stream->is_over) co_return std::string();
  Services& services = stream->services;
  const int64_t now_ns = services.clock.now_ns();
  co_await services.endings.wait(stream->id, std::min(now_ns + keep_alive_ns, stream->deadline_ns),
                                 stream->requester.is_awaited);
  std::optional<HttpReply> end =
      co_await look(services, stream->requester, stream->id, stream->api, true);
  const bool must_end =
      services.clock.now_ns() >= stream->deadline_ns || services.endings.is_released();
  if (!end && !must_end) co_return ": the task has not ended yet\n\n";
  stream->is_over = true;
  const HttpReply last = end ? std::move(*end) : not_ended_reply();
  if (last.status == 200) co_return last.body;
  co_return fmt::format("{}data: {}\n", stream->api == chat_api ? "" : "event: error\n", last.body);
}

HttpReply stream_reply(Services& services, Requester requester, int64_t id, std::string_view api) {
  const auto stream = std::make_shared<CompletionStream>(CompletionStream{
      services, std::move(requester), id, api, services.clock.now_ns() + stream_wait_ns_max});
  HttpReply reply;
  reply.content_type = "text/event-stream";
  reply.headers.emplace_back("Cache-Control", "no-cache");
  reply.more = [stream] { return next_part(stream); };
  return reply;
}

Co<HttpReply> whole_reply(Services& services, Requester requester, int64_t id,
                          std::string_view api) {
  const int64_t deadline_ns = services.clock.now_ns() + answer_wait_ns_max;
  while (true) {
    co_await services.endings.wait(id, deadline_ns, requester.is_awaited);
    std::optional<HttpReply> end = co_await look(services, requester, id, api, false);
    if (end) co_return std::move(*end);
    if (services.clock.now_ns() >= deadline_ns || services.endings.is_released() ||
        !requester.is_awaited()) {
      co_return not_ended_reply();
    }
  }
}

// What Sluice-Priority says, as JSON; nullopt: nothing that is a priority. 00 is no number of JSON.
std::optional<std::string> priority_in(const HttpIncoming& incoming) {
  const std::string_view given = incoming.header("sluice-priority");
  if (given.empty()) return "0";
  if (given == "hot" || given == "cold") return json_string(given);
  const std::optional<int> number = parse_count(given, -100, 100);
  if (!number || std::to_string(*number) != given) return std::nullopt;
  return std::string(given);
}

HttpReply bad_priority(const HttpIncoming& incoming) {
  return bad_argument("Sluice-Priority",
                      fmt::format("the header Sluice-Priority is {}",
                                  in_quotes(incoming.header("sluice-priority"))),
                      "It is hot, cold or a whole number from -100 to 100.");
}

Submitter::Submission submission_of(ApiRequest& request, std::string_view api,
                                    std::string_view priority) {
  Submitter::Submission submission;
  const std::string_view affinity_key = request.http.header("sluice-affinity-key");
  submission.body =
      fmt::format(R"({{"api":{},"priority":{}{},"request":{}}})", json_string(api), priority,
                  affinity_key.empty() ? "" : ",\"affinity_key\":" + json_string(affinity_key),
                  std::exchange(request.http.body, {}));
  submission.values = request.body_values;
  submission.tenant = request.caller.tenant;
  submission.traceparent = std::move(request.traceparent);
  submission.api_key = request.caller.key_id;
  if (const auto key = request.http.header("idempotency-key"); !key.empty()) {
    submission.idempotency_key = key;
  }
  return submission;
}

Co<HttpReply> complete(Services& services, ApiRequest request, std::string_view api) {
  const std::string problem = json_object_problem(request.http.body);
  if (!problem.empty()) co_return bad_json(problem);
  const bool streams = json_flag(request.http.body, "stream");
  if (streams && api == embeddings_api) {
    co_return bad_request("there are no streams of embeddings");
  }
  const std::optional<std::string> priority = priority_in(request.http);
  if (!priority) co_return bad_priority(request.http);
  Submitter::Submission submission = submission_of(request, api, *priority);
  Co<Result<Submitter::Accepted>> accepted =
      services.submitter.submit(std::move(submission), request.http);
  Result<Submitter::Accepted> task = co_await std::move(accepted);
  if (!task) co_return error_reply(task.error());
  const int64_t id = task->id;
  HttpReply reply;
  if (streams) {
    reply = stream_reply(services, Requester(request.http.client), id, api);
  } else {
    reply = co_await whole_reply(services, request.http, id, api);
  }
  reply.headers.emplace_back("Location", fmt::format("/v1/tasks/{}", id));
  reply.headers.emplace_back("X-Request-Id", fmt::format("task_{}", id));
  co_return reply;
}

}  // namespace

Co<HttpReply> complete_chat(Services& services, ApiRequest request) {
  return complete(services, std::move(request), chat_api);
}

Co<HttpReply> complete_response(Services& services, ApiRequest request) {
  return complete(services, std::move(request), "openai-responses");
}

Co<HttpReply> complete_embeddings(Services& services, ApiRequest request) {
  return complete(services, std::move(request), embeddings_api);
}

Co<HttpReply> complete_message(Services& services, ApiRequest request) {
  return complete(services, std::move(request), "anthropic-messages");
}

}  // namespace sluice
