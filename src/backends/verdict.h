// Decides what a failure means for task and model, by one table of statuses and error types for
// every provider. Pure functions; of the APIs they know only the error objects.
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

// The outcome of a call without a response: a retry, charged unless nothing was sent.
Outcome outcome_of_failure(const HttpFailure& failure);

// The outcome of a response that is an error. Its status decides, or, where that says success (a
// stream may break off with an error object, some gateways answer 200), the status that the error's
// type stands for. Tried in this order: a bill that is due; a prompt that is too long for the
// model's context, or refused for what it says; a request too large for its quota; the backend's
// own word (x-should-retry, "retryable"), which a wrong key or address overrides; the table.
Outcome outcome_of_error(const HttpResponse& response, const ProviderError& error);

// A successful status whose body makes no sense: may be a proxy's page; worth another attempt.
// with_status() adds the status that it came with.
Outcome bad_response(std::string_view detail);
Outcome with_status(Outcome bad, int status);

}  // namespace sluice
