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

HttpRequest request_of(const Backend& backend, const Model& model, Call& call) {
  HttpRequest request = request_for(backend, model, call.task.question);
  request.headers.push_back(
      fmt::format("Sluice-Task: {}:{}", call.task.key.task_id, call.task.key.fence));
  if (call.task.traceparent) request.headers.push_back("traceparent: " + *call.task.traceparent);
  request.timeout_ms = call.task.timeout_ms;
  request.response_bytes_max = bounds::response_bytes_max;
  request.send_by_ns = call.send_by_ns;
  // The request has its own copy: 10,000 prompts in flight are kept once.
  call.task.question = Question();
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

bool may_send(const Call& call, int64_t now_ns) {
  return !call.send_by_ns || now_ns <= *call.send_by_ns;
}

Task<Outcome> ask_model(Calling calling, Model model, Call& call) {
  const Backend& backend = *find_backend(model.api);
  HttpRequest request = request_of(backend, model, call);
  std::string secret;
  if (model.secret) {
    Result<std::string> found = calling.secrets.read(*model.secret);
    if (!found) co_return Parked{Parked::Cause::credential, found.error().message, std::nullopt};
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
  HttpResult result = co_await calling.http.send(std::move(request), &call.abort);
  if (!result) co_return outcome_of_failure(result.error());
  call.first_token_ns = result->first_byte_ns;
  if (!stream || !stream->has_begun()) note_limits(result->headers);
  co_return judge(backend, std::move(*result), stream.get(), secret, call.task.attempt);
}

}  // namespace sluice
