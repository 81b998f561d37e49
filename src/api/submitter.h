// Submitter turns tasks that arrive one by one into few transactions: while some are being
// submitted others gather, and go together next. It owns them until each is accepted or refused,
// which it is by itself; it waits for no timer.
//
// Thread rule: loop thread only; the pool outlives it. How many wait is bounded by the HTTP
// server's connections and bodies.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/pg_pool.h"

namespace sluice {

class Submitter final {
 public:
  struct Submission {
    std::string body;  // a JSON object, see sluice.task_of_body
    std::optional<std::string> tenant;
    std::optional<std::string> idempotency_key;
    std::optional<std::string> traceparent;  // unless the body has one
  };

  struct Accepted {
    int64_t id;
    std::string model;  // or route that it went to, also when the task named none
  };

  explicit Submitter(PgPool& database) : database_(database) {}

  // Errors: the refusals of sluice.submit, and the pool's.
  Task<Result<Accepted>> submit(Submission submission);

 private:
  struct Waiting {
    Submission submission;
    std::optional<Result<Accepted>> result;
    Signal done;
  };
  using Batch = std::vector<std::shared_ptr<Waiting>>;

  void start_flushes();
  Batch take_batch();
  Task<void> flush(Batch batch);

  PgPool& database_;
  std::deque<std::shared_ptr<Waiting>> waiting_;
  int flushes_ = 0;
  TaskGroup tasks_;
};

}  // namespace sluice
