#include "worker/call.h"

#include "backends/verdict.h"
#include "bounds.h"

namespace sluice {

void Call::abort_all() {
  abort.abort();
  for (AbortToken& extra : hedge.aborts) extra.abort();
}

bool may_send(const Call& call, int64_t now_ns) {
  return !call.send_by_ns || now_ns <= *call.send_by_ns;
}

std::string task_header(const std::vector<TaskKey>& tasks) {
  std::string header = "Sluice-Task: ";
  for (const TaskKey& task : tasks) {
    if (header.back() != ' ') header += ',';
    header.append(std::to_string(task.task_id)).append(":").append(std::to_string(task.fence));
  }
  return header;
}

Co<Reply> exchange(const Calling& calling, const Model& model, HttpRequest&& request,
                   StreamedBody* stream, AbortToken& abort, Redaction& redaction) {
  if (model.secret) {
    Result<std::string> found = calling.secrets.read(*model.secret, request.url);
    if (!found) {
      Parked parked{Parked::Cause::credential, found.error().message, std::nullopt};
      co_return tl::unexpected(Outcome(std::move(parked)));
    }
    request.headers.push_back(std::string(find_backend(model.api)->credential) + *found);
    redaction = Redaction(std::move(*found));
  }
  request.response_bytes_max = bounds::response_bytes_max;
  request.event_stream = stream;
  HttpResult result = co_await calling.http.send(std::move(request), &abort);
  if (!result) co_return tl::unexpected(outcome_of_failure(result.error()));
  const bool is_stream = stream != nullptr && stream->has_begun();
  // A stream's headers were news when they came.
  if (!is_stream) calling.limit_news.note(model, limits_left(result->headers));
  std::optional<std::string> body = is_stream ? stream->body() : std::move(result->body);
  if (!body) {
    Retry broken{"broken_stream", "the stream ended before the answer did", result->status,
                 std::nullopt, std::nullopt};
    co_return tl::unexpected(Outcome(std::move(broken)));
  }
  redaction.apply(*body);
  result->body = std::move(*body);
  for (auto& [name, value] : result->headers) redaction.apply(value);
  co_return std::move(*result);
}

Co<Answer> ask_model(Calling calling, SharedModel shared, const ClaimedTask& task,
                     Question question, std::optional<int64_t> send_by_ns, AbortToken& abort) {
  const int64_t begun_ns = calling.clock.now_ns();
  const Model& model = *shared;
  const Backend& backend = *find_backend(model.api);
  HttpRequest request = request_for(backend, model, std::move(question));
  request.headers.push_back(task_header(std::vector(1, task.key)));
  CallSpan span(calling.spans, calling.clock, model, task);
  if (span.traceparent()) request.headers.push_back("traceparent: " + *span.traceparent());
  request.timeout_ms = task.timeout_ms;
  request.send_by_ns = send_by_ns;
  std::unique_ptr<StreamedBody> stream;
  if (backend.assembly) {
    const auto note_limits = [&calling, &model](const HttpFields& headers) {
      calling.limit_news.note(model, limits_left(headers));
    };
    stream =
        std::make_unique<StreamedBody>(backend.assembly(), bounds::response_bytes_max, note_limits);
  }
  Redaction redaction;
  Reply reply =
      co_await exchange(calling, model, std::move(request), stream.get(), abort, redaction);
  Answer answer;
  if (reply) {
    if (reply->first_byte_ns) answer.first_token_after_ns = *reply->first_byte_ns - begun_ns;
    answer.memory = std::move(reply->memory);
    answer.outcome = give_up_on_bad_answers(outcome_of(backend, *reply), task.attempt);
  } else {
    answer.outcome = std::move(reply.error());
  }
  answer.outcome = with_url(std::move(answer.outcome), model, backend.path(model));
  redaction.apply(answer.outcome);
  span.end(answer.outcome);
  co_return answer;
}

}  // namespace sluice
