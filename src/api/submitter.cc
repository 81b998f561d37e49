#include "api/submitter.h"

#include <algorithm>

#include "api/arguments.h"
#include "json_object.h"
#include "runtime/pg_array.h"

namespace sluice {
namespace {

// In values of JSON, 100 bytes being one more: PostgreSQL takes half a microsecond for each, and 5
// where budgets count the request. A task of so many goes by itself.
constexpr int64_t dear_cost_min = 2'000;
// Of a batch: 2 ms, or 13. Whoever comes waits for one or two such batches.
constexpr int64_t batch_cost_max = 2'500;
// Of a key's turn in a batch, which is one task at least. Were it always one, small ones beside a
// key whose tasks fill a batch each would have one place in every second batch.
constexpr int64_t turn_cost_max = 250;
constexpr int64_t refused_ns = 60 * ns_per_s;

// Several tasks do not wait for a lock that one of them needs, such as an idempotency key that an
// open transaction has used.
constexpr std::string_view locked = "55P03";

constexpr const char* submit_sql =
    "select place, id, model, code, message, hint, param"
    " from sluice.submit_each($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])";

int64_t cost_of(const Submitter::Submission& submission) {
  constexpr int64_t value_bytes = 100;
  return submission.values + std::ssize(submission.body) / value_bytes;
}

Result<Submitter::Accepted> outcome_of(const PgResult& rows, int row) {
  if (rows.is_null(row, 3)) {
    return Submitter::Accepted{rows.int64(row, 1), std::string(rows.text(row, 2))};
  }
  return tl::unexpected(Error{Error::Action::refuse, std::string(rows.text(row, 3)),
                              std::string(rows.text(row, 4)), std::string(rows.text(row, 5)),
                              std::string(rows.text(row, 6))});
}

// Of the statement for these.
class Arrays {
 public:
  void add(const Submitter::Submission& submission) {
    bodies_.add(submission.body);
    tenants_.add(submission.tenant);
    keys_.add(submission.idempotency_key);
    traceparents_.add(submission.traceparent);
    api_keys_.add(submission.api_key);
  }
  PgParams params() {
    return {bodies_.param(), tenants_.param(), keys_.param(), traceparents_.param(),
            api_keys_.param()};
  }

 private:
  PgTextArray bodies_, tenants_, keys_, traceparents_, api_keys_;
};

}  // namespace

// The server refuses a statement with an unstorable character whole, before any of its SQL runs.
Co<Result<Submitter::Accepted>> Submitter::submit(Submission submission,
                                                  const HttpIncoming& incoming) {
  if (!is_storable(submission.body) || !is_storable(submission.idempotency_key.value_or(""))) {
    co_return tl::unexpected(
        Error{Error::Action::refuse, "22021", "the task or its key is no UTF-8, or has a NUL"});
  }
  if (submission.has_version || cost_of(submission) >= dear_cost_min) {
    Co<Result<Accepted>> alone = submit_alone(large_, std::move(submission), incoming);
    co_return co_await std::move(alone);
  }
  auto waiting = std::make_shared<Waiting>();
  waiting->client = incoming.client;
  waiting->submission = std::move(submission);
  Lane& lane = lane_of(incoming.client);
  lane.waiting.push(incoming.client, waiting);
  start_flushes(lane);
  co_await waiting->done.wait();
  Result<Accepted> result = std::move(*waiting->result);
  if (result || result.error().code != locked) co_return result;
  Co<Result<Accepted>> alone = submit_alone(database_, std::move(waiting->submission), incoming);
  co_return co_await std::move(alone);
}

Co<Result<Submitter::Accepted>> Submitter::submit_alone(PgPool& pool, Submission submission,
                                                        const HttpIncoming& incoming) {
  Arrays arrays;
  arrays.add(submission);
  std::string().swap(submission.body);
  Co<Result<PgResult>> reply = pool.query(incoming, submit_sql, arrays.params());
  const Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return tl::unexpected(rows.error());
  Result<Accepted> result = outcome_of(*rows, 0);
  if (!result) note_refusal(incoming.client);  // also what is locked: alone it is to blame
  co_return result;
}

Submitter::Lane& Submitter::lane_of(const std::string& client) {
  const auto found = refused_until_ns_.find(client);
  if (found == refused_until_ns_.end()) return common_;
  if (clock_.now_ns() < found->second) return refused_;
  refused_until_ns_.erase(found);
  return common_;
}

// What the key has waiting changes its lane, too.
void Submitter::note_refusal(const std::string& client) {
  refused_until_ns_[client] = clock_.now_ns() + refused_ns;
  common_.waiting.erase_if(client, [&](const std::shared_ptr<Waiting>& waiting) {
    refused_.waiting.push(client, waiting);
    return true;
  });
  start_flushes(refused_);
}

void Submitter::start_flushes(Lane& lane) {
  while (lane.flushes < lane.flushes_max && !lane.waiting.empty()) {
    ++lane.flushes;
    coroutines_.spawn(flush(lane, take_batch(lane)));
  }
}

Submitter::Batch Submitter::take_batch(Lane& lane) {
  Batch batch;
  int64_t cost = 0;
  bool is_full = false;  // the one whose turn it would be is the first of the next
  const auto fits = [&](const std::shared_ptr<Waiting>& waiting) {
    cost += cost_of(waiting->submission);
    is_full = cost > batch_cost_max && !batch.empty();
    return !is_full;
  };
  // Each key that waits has a place, if there are enough.
  const size_t turn_rows = std::max(size_t{1}, lane.rows_max / lane.waiting.keys());
  while (!is_full && batch.size() < lane.rows_max) {
    const int64_t turn_end = cost + turn_cost_max;
    auto waiting =
        lane.waiting.take([&](const std::string&, const auto& next) { return fits(next); });
    if (!waiting) break;
    const std::string key = (*waiting)->client;
    const size_t rows_end = std::min(lane.rows_max, batch.size() + turn_rows);
    while (waiting) {
      batch.push_back(std::move(*waiting));
      if (batch.size() == rows_end) break;
      waiting = lane.waiting.take_of(key, [&](const auto& next) {
        return cost + cost_of(next->submission) <= turn_end && fits(next);
      });
    }
  }
  return batch;
}

Co<void> Submitter::flush(Lane& lane, Batch batch) {
  Arrays arrays;
  for (const auto& waiting : batch) arrays.add(waiting->submission);
  Co<Result<PgResult>> reply = database_.query(submit_sql, arrays.params());
  Result<PgResult> rows = co_await std::move(reply);
  for (int row = 0; rows && row < rows->rows(); ++row) {
    Waiting& waiting = *batch[static_cast<size_t>(rows->int64(row, 0) - 1)];
    waiting.result = outcome_of(*rows, row);
    if (!*waiting.result && waiting.result->error().code != locked) note_refusal(waiting.client);
  }
  for (const auto& waiting : batch) {
    if (!rows) waiting->result = tl::unexpected(rows.error());
    waiting->done.raise();
  }
  --lane.flushes;
  start_flushes(lane);
}

}  // namespace sluice
