// What a failure means for task and model: the table of statuses and error types, for every
// provider. Pure functions; of the APIs they know only the error objects.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/outcome.h"
#include "runtime/http_client.h"

namespace simdjson::dom {
class element;
}

namespace sluice {

inline constexpr std::string_view bad_response_code = "bad_response";

// An error object of any known shape. Its texts come from outside.
struct ProviderError {
  std::string type;
  std::string code;
  std::string message;
  std::string retry_delay;        // Gemini's, in the body
  std::optional<bool> retryable;  // the backend's own word
};

// The "error" of a body; nullopt when there is none, as in an answer.
std::optional<ProviderError> find_error(const simdjson::dom::element& body);
// The body of an unsuccessful status, whatever its shape.
ProviderError describe_error(const simdjson::dom::element& body);

// What a call that brought no response means: retry, charged, unless nothing was sent.
Outcome outcome_of_failure(const HttpFailure& failure);

// What a response means that is an error: by its status, or after a success (a stream may break off
// with an error object, some gateways answer 200) by the status that the error's type stands for.
// In this order: a bill, a request too large for its quota, the backend's own word (x-should-retry,
// "retryable"; but "no" to a wrong key or address is said to all), the table.
Outcome outcome_of_error(const HttpResponse& response, const ProviderError& error);

// A successful status whose body makes no sense: may be a proxy's page; worth another attempt.
Outcome bad_response(std::string_view detail);

}  // namespace sluice
