// A backend is a pair of pure functions: a task becomes an HTTP request, an HTTP response becomes
// an Outcome. It owns nothing, keeps no state, sends nothing and decides nothing about time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "backends/outcome.h"
#include "runtime/http_client.h"

namespace sluice {

// What a backend needs of a row of sluice.models.
struct Model {
  int id = 0;
  std::string name;
  std::string api;
  std::string url;
  std::string upstream_name;  // what the backend calls it
  int batch_max = 1;
  int max_queue = 1000;
};

// What is asked of a model: exactly one of prompt and request (a verbatim JSON object).
struct Question {
  std::optional<std::string> prompt;
  std::optional<std::string> request;
  std::optional<int64_t> max_output_tokens;
};

struct Backend {
  HttpRequest (*request)(const Model& model, const Question& question);
  Outcome (*outcome)(const HttpResponse& response);
};

// The backend for one value of sluice.models.api, or null when this release does not speak it.
const Backend* find_backend(std::string_view api);

// What a call that brought no response means: retry, charged; known not to be billed only when
// nothing was sent.
Outcome outcome_of_failure(const HttpFailure& failure);

// What a status other than 2xx means, for every provider: retry, throttle or fail, with `detail`
// for people.
Outcome outcome_of_status(const HttpResponse& response, std::string_view detail);

// A successful status whose body makes no sense: may be a proxy's page; worth another attempt.
Outcome bad_response(const HttpResponse& response, std::string_view detail);

// Retry-After in seconds or, preferred, retry-after-ms; at most an hour; nullopt when absent or not
// a number.
std::optional<int64_t> retry_after_ms(const HttpResponse& response);

}  // namespace sluice
