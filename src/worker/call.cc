#include "worker/call.h"

#include <fmt/format.h>

#include "backends/verdict.h"
#include "bounds.h"

namespace sluice {

namespace {

constexpr std::string_view redacted = "[secret]";

// Shorter ones are placeholders that local servers want ("ollama"), and words of good answers.
constexpr size_t redacted_bytes_min = 16;

// A backend that echoes its headers must not bring the secret into our tables and logs.
void redact(std::string& text, const std::string& secret) {
  if (secret.size() < redacted_bytes_min) return;
  for (size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), redacted);
    at += redacted.size();
  }
}

HttpRequest request_of(const Backend& backend, const Model& model, const ClaimedTask& task,
                       const Question& question) {
  HttpRequest request = request_for(backend, model, question);
  request.headers.push_back(fmt::format("Sluice-Task: {}:{}", task.key.task_id, task.key.fence));
  if (task.traceparent) request.headers.push_back("traceparent: " + *task.traceparent);
  request.timeout_ms = task.timeout_ms;
  request.response_bytes_max = bounds::response_bytes_max;
  return request;
}

Outcome judge(const Backend& backend, HttpResponse response, const StreamedBody* stream,
              const std::string& secret, int attempt) {
  if (stream != nullptr && stream->has_begun()) {
    std::optional<std::string> body = stream->body();
    if (!body) {
      return Retry{"broken_stream", "the stream ended before the answer did", response.status,
                   std::nullopt, std::nullopt};
    }
    response.body = std::move(*body);
  }
  redact(response.body, secret);
  return give_up_on_bad_answers(outcome_of(backend, response), attempt);
}

}  // namespace

void Call::abort_all() {
  abort.abort();
  for (AbortToken& extra : hedge.aborts) extra.abort();
}

bool may_send(const Call& call, int64_t now_ns) {
  return !call.send_by_ns || now_ns <= *call.send_by_ns;
}

Task<Answer> ask_model(Calling calling, Model model, const ClaimedTask& task, Question question,
                       std::optional<int64_t> send_by_ns, AbortToken& abort) {
  const int64_t begun_ns = calling.clock.now_ns();
  const Backend& backend = *find_backend(model.api);
  HttpRequest request = request_of(backend, model, task, question);
  request.send_by_ns = send_by_ns;
  question = Question();  // the request has its own copy: 10,000 prompts in flight are kept once
  std::string secret;
  if (model.secret) {
    Result<std::string> found = calling.secrets.read(*model.secret);
    if (!found) {
      Parked parked{Parked::Cause::credential, found.error().message, std::nullopt};
      co_return Answer{std::move(parked)};
    }
    secret = std::move(*found);
    request.headers.push_back(std::string(backend.credential) + secret);
  }
  // A stream's headers are news when they come, not when it has ended.
  const auto note_limits = [&calling, &model](const HttpFields& headers) {
    calling.limit_news.note(model, limits_left(headers));
  };
  std::unique_ptr<StreamedBody> stream;
  if (backend.assembly) {
    stream =
        std::make_unique<StreamedBody>(backend.assembly(), bounds::response_bytes_max, note_limits);
    request.event_stream = stream.get();
  }
  HttpResult result = co_await calling.http.send(std::move(request), &abort);
  if (!result) co_return Answer{outcome_of_failure(result.error())};
  Answer answer;
  if (result->first_byte_ns) answer.first_token_after_ns = *result->first_byte_ns - begun_ns;
  if (!stream || !stream->has_begun()) note_limits(result->headers);
  answer.outcome = judge(backend, std::move(*result), stream.get(), secret, task.attempt);
  co_return answer;
}

}  // namespace sluice
