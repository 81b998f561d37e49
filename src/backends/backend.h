// A backend is a pair of pure functions: a task becomes an HTTP request, an HTTP response becomes
// an Outcome. It owns nothing, keeps no state, sends nothing, and knows neither secrets nor time.
//
// Each API has a file of its own. This one has the common part: a request is JSON, and an answer is
// JSON, or a stream of events that is put together into the same JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/outcome.h"
#include "backends/stream.h"
#include "runtime/http_client.h"

namespace simdjson::dom {
class element;
}

namespace sluice {

// The columns of sluice.models that a backend needs.
struct Model {
  int id = 0;
  std::string name;
  std::string api;
  std::string url;
  std::string upstream_name;          // what the backend calls it
  std::optional<std::string> secret;  // a reference: env:NAME or file:/path
  std::vector<std::string> paths;     // of /solve, /single, /batch; none: by batch_max
  int batch_max = 1;
  int64_t batch_wait_ms = 1000;
  std::optional<int> max_in_flight;  // of the fleet
  int min_in_flight = 2;
  std::optional<int64_t> hedge_after_ms;  // nullopt: no extra calls
  int hedge_max = 2;
  double hedge_budget = 0.08;
};

// Shared by the calls that a reload overtakes: they go on with the settings that they began with.
using SharedModel = std::shared_ptr<const Model>;

// A task's question to a model: exactly one of prompt and request (a verbatim JSON object).
struct Question {
  std::optional<std::string> prompt;
  std::optional<std::string> request;
  std::optional<int64_t> max_output_tokens;
  std::shared_ptr<const void> memory = nullptr;  // where a large one is counted; null: it is not
};

struct Backend {
  // Where under the model's URL, without headers for its credential.
  std::string (*path)(const Model& model);
  // The body for a prompt; a verbatim request is sent as it is, but for the model's name.
  HttpBody (*body)(const Model& model, Question question);
  // Solved with answer and finish, or a bad answer, from the JSON of a successful response.
  Outcome (*read)(const simdjson::dom::element& body);
  // Puts a streamed answer together; null for an API without streams.
  std::unique_ptr<Assembly> (*assembly)();
  std::string_view credential;  // the header, up to the secret
  std::string_view header;      // one more, or empty
};

// The backend for one value of sluice.models.api, or null when this release does not speak it.
const Backend* find_backend(std::string_view api);
// The values of sluice.models.api that it speaks.
std::vector<std::string> spoken_apis();

// A body for a path under the model's URL.
HttpRequest post_json(const Model& model, std::string_view path, HttpBody body);

// The outcome of a call to that path, with its URL in the error if nothing was sent or it was
// refused: without user, password and query.
Outcome with_url(Outcome outcome, const Model& model, std::string_view path);

// Without limits and credential, which are the caller's.
HttpRequest request_for(const Backend& backend, const Model& model, Question question);

// The outcome that a response means. Never throws, whatever the bytes; every text in it can be
// stored.
Outcome outcome_of(const Backend& backend, const HttpResponse& response);

// The part of it for a successful response: `body` is its JSON, or the part of that which speaks of
// one task, and `verbatim` the same as text.
Outcome outcome_of_answer(const Backend& backend, const HttpResponse& response,
                          const simdjson::dom::element& body, std::string verbatim);

// The outcome of a task's `attempt`-th call, in which the third bad answer is a failure, whatever
// the task's own limit: a backend that answers nonsense, and bills for it, seldom stops.
Outcome give_up_on_bad_answers(Outcome outcome, int attempt);

}  // namespace sluice
