// Submitter combines tasks that arrive one by one into few transactions: those that arrive during a
// submit go together in the next one, in turn by key. It owns them until each is accepted or
// refused, by itself. It waits for no timer. A dear task, which PostgreSQL may take seconds to
// read, or tenths of one to check by a schema, goes alone and does not delay others; so does, in
// its key's turn, a task that has to wait for a lock.
//
// Thread rule: loop thread only; the pools outlive it. How many wait is bounded by the HTTP
// server's connections and bodies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/pg_pool.h"
#include "api/turn_queue.h"

namespace sluice {

class Submitter final {
 public:
  struct Submission {
    std::string body;          // a JSON object, see sluice.task_of_body
    int64_t values = 0;        // of it
    bool has_version = false;  // a schema_version, whose schema its payload may be checked by
    std::optional<std::string> tenant;
    std::optional<std::string> idempotency_key;
    std::optional<std::string> traceparent;  // unless the body has one
    std::optional<std::string> api_key;      // the id of that by which it came
  };

  struct Accepted {
    int64_t id;
    std::string model;  // or route that it went to, also when the task named none
  };

  Submitter(PgPool& database, PgPool& large) : database_(database), large_(large) {}

  // `incoming`: the request that the task came by; outlives the call. Errors: the refusals of
  // sluice.submit, and the pools'.
  Co<Result<Accepted>> submit(Submission submission, const HttpIncoming& incoming);

 private:
  struct Waiting {
    Submission submission;
    std::optional<Result<Accepted>> result;
    Signal done;
  };
  using Batch = std::vector<std::shared_ptr<Waiting>>;
  // Enough to make the commit's share of each small; more would only delay the first of them.
  static constexpr size_t batch_rows_max = 500;
  // PostgreSQL halves a batch of which it refuses a task until that is alone: half of 500 refused
  // take it a second. While some are refused batches shrink to so many.
  static constexpr size_t batch_rows_refused = 32;

  Co<Result<Accepted>> submit_alone(PgPool& pool, Submission submission,
                                    const HttpIncoming& incoming);
  void start_flushes();
  Batch take_batch();
  Co<void> flush(Batch batch);

  PgPool& database_;
  PgPool& large_;
  TurnQueue<std::shared_ptr<Waiting>> waiting_;
  int flushes_ = 0;
  size_t batch_rows_ = batch_rows_max;  // of the next one
  CoGroup coroutines_;
};

}  // namespace sluice
