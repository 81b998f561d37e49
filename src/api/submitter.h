// Submitter combines tasks that arrive one by one into few transactions: those that arrive during a
// submit go together in the next one, in turns by key. It owns them until each is accepted or
// refused, by itself. It waits for no timer. A dear task, which PostgreSQL may take seconds to
// read, or tenths of one to check by a schema, goes alone and does not delay others; so does, in
// its key's turn, a task that has to wait for a lock. Who is to blame is dear to find: for a minute
// after a refusal its key's tasks go together only with those of such keys.
//
// Thread rule: loop thread only; the pools outlive it. How many wait is bounded by the HTTP
// server's connections and bodies.
#pragma once

#include <cstdint>
#include <map>
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

  Submitter(Clock& clock, PgPool& database, PgPool& large)
      : clock_(clock), database_(database), large_(large) {}

  // `incoming`: the request that the task came by; outlives the call. Errors: the refusals of
  // sluice.submit, and the pools'.
  Co<Result<Accepted>> submit(Submission submission, const HttpIncoming& incoming);

 private:
  struct Waiting {
    std::string client;
    Submission submission;
    std::optional<Result<Accepted>> result;
    Signal done;
  };
  using Batch = std::vector<std::shared_ptr<Waiting>>;
  struct Lane {
    const size_t rows_max;  // of a batch
    const int flushes_max;
    TurnQueue<std::shared_ptr<Waiting>> waiting = {};
    int flushes = 0;
  };

  Co<Result<Accepted>> submit_alone(PgPool& pool, Submission submission,
                                    const HttpIncoming& incoming);
  Lane& lane_of(const std::string& client);
  void note_refusal(const std::string& client);
  void start_flushes(Lane& lane);
  static Batch take_batch(Lane& lane);
  Co<void> flush(Lane& lane, Batch batch);

  Clock& clock_;
  PgPool& database_;
  PgPool& large_;
  // Enough rows to make the commit's share of each small; more would only delay the first of them.
  // Two flushes, so that one commits while the next is being computed.
  Lane common_ = {.rows_max = 500, .flushes_max = 2};
  // Each row may have to be tried by itself: 30 ms of PostgreSQL's processor time.
  Lane refused_ = {.rows_max = 64, .flushes_max = 1};
  std::map<std::string, int64_t> refused_until_ns_;  // by key, at most the keys that there are
  CoGroup coroutines_;
};

}  // namespace sluice
