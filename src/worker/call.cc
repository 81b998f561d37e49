#include "worker/call.h"

#include <fmt/format.h>

#include "bounds.h"

namespace sluice {

bool may_send(const Call& call, int64_t now_ns) {
  return !call.send_by_ns || now_ns <= *call.send_by_ns;
}

Task<Outcome> ask_model(HttpClient& http, Model model, Call& call) {
  const Backend* backend = find_backend(model.api);
  HttpRequest request = backend->request(model, call.task.question);
  request.headers.push_back(
      fmt::format("Sluice-Task: {}:{}", call.task.key.task_id, call.task.key.fence));
  if (call.task.traceparent) request.headers.push_back("traceparent: " + *call.task.traceparent);
  request.timeout_ms = call.task.timeout_ms;
  request.response_bytes_max = bounds::response_bytes_max;
  request.send_by_ns = call.send_by_ns;
  // The request has its own copy: 10,000 prompts in flight are kept once.
  call.task.question = Question();
  HttpResult result = co_await http.send(std::move(request), &call.abort);
  if (!result) co_return outcome_of_failure(result.error());
  co_return backend->outcome(*result);
}

}  // namespace sluice
