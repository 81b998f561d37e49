// The outcome of one call to a model, as backends report it to the worker and the worker to the
// database. Pure data; sluice.complete says what each kind does to the task.
//
// A kind here    is in sluice.outcome   leaves in sluice.attempt   and in sluice.result
// Solved         solved                                            solved
// Failed         failed                 failed                     failed
// Retry          retry                  retry                      failed, after the last attempt
// Unsent         returned               returned                   failed, after unsent_timeout
// Refused        throttled              returned                   failed, after three
// Throttled      throttled
// Parked         throttled
// Returned       returned
// BatchFailed    returned               returned
// Cancelled      cancelled                                         cancelled
//
// Other attempts: lost, late, redriven, hedged, rerouted. Other results, of tasks without an
// outcome: failed (lost with the last attempt), expired, cancelled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sluice {

// The model answered. `response` is the backend's verbatim body (of a stream: put together), made
// harmless for PostgreSQL's text.
struct Solved {
  std::optional<std::string> answer;  // nullopt: an answer without text (a tool call, a vector)
  std::string response;
  int http_status = 200;
  std::optional<int64_t> input_tokens;
  std::optional<int64_t> output_tokens;
  std::optional<int64_t> cached_tokens;       // of input_tokens: read from the provider's cache
  std::optional<int64_t> cache_write_tokens;  // of input_tokens: written to it
  std::optional<int64_t> reasoning_tokens;    // of output_tokens: of which there is no text
  std::string finish;  // why the model stopped, if not of itself: length, content_filter, refusal …
};

// Repeating the call cannot help: dead letter.
struct Failed {
  std::string error_code;
  std::string error;
  std::optional<int> http_status;
  std::optional<bool> billed;
};

// It may work next time: charged one attempt. `billed`: nullopt when nobody knows.
struct Retry {
  std::string error_code;
  std::string error;
  std::optional<int> http_status;
  std::optional<bool> billed;
  std::optional<int64_t> retry_after_ms;
};

// Nothing was sent (no address, no connection, no TLS): waits and tries again, not charged, until
// settings.unsent_timeout.
struct Unsent {
  std::string error;
};
inline constexpr std::string_view unsent_code = "not_sent";

// The backend refuses the key or the address, or this one request: several tasks in a row park the
// model; not charged until the task has heard it often enough to be the one that is meant.
struct Refused {
  std::string error_code;
  std::string error;
  std::optional<int> http_status;
};

// The backend said "not now" about the model, not about this task: closes the model for the fleet
// for a while, not charged.
struct Throttled {
  std::string error_code;
  std::string error;
  std::optional<int> http_status;
  std::optional<int64_t> retry_after_ms;
};

// The credential or the bill: closes the model for the fleet until somebody opens it, not charged.
struct Parked {
  enum class Cause { credential, billing };
  Cause cause;
  std::string error;
  std::optional<int> http_status;
};

// Never sent, or handed back on leaving: to its place in the queue, not charged.
struct Returned {};

// The call for it and other tasks failed as a whole, nobody knows by whose fault: to its place in
// the queue, not charged; next time it goes in a batch half as large.
struct BatchFailed {
  std::string error_code;  // the call's for one of its tasks, batch_failed for the others
  std::string error;
  std::optional<int> http_status;
  std::optional<bool> billed;
};

// Aborted because its user cancelled the task.
struct Cancelled {};

using Outcome = std::variant<Solved, Failed, Retry, Unsent, Refused, Throttled, Parked, Returned,
                             BatchFailed, Cancelled>;

}  // namespace sluice
