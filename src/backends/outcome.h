// What became of one call to a model: the vocabulary in which backends speak to the worker and the
// worker to the database. Pure data; sluice.complete says what each kind does to the task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace sluice {

// The backend answered. `response` is its verbatim body, made harmless for PostgreSQL's text.
struct Solved {
  std::string answer;
  std::string response;
  int http_status = 200;
  std::optional<int64_t> input_tokens;
  std::optional<int64_t> output_tokens;
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

// The backend said "not now" about the model, not about this task: closes the model for the fleet,
// not charged.
struct Throttled {
  std::string error_code;
  std::string error;
  std::optional<int> http_status;
  std::optional<int64_t> retry_after_ms;
};

// Never sent, or handed back on leaving: to its place in the queue, not charged.
struct Returned {};

// Aborted because its user cancelled the task.
struct Cancelled {};

using Outcome = std::variant<Solved, Failed, Retry, Throttled, Returned, Cancelled>;

}  // namespace sluice
