#include "api/submitter.h"

#include "api/arguments.h"
#include "worker/pg_array.h"

namespace sluice {
namespace {

// Two, so that one commits while the next is being computed.
constexpr int flushes_max = 2;
// Enough to make the commit's share of each small; more would only delay the first of them.
constexpr size_t batch_rows_max = 500;
constexpr size_t batch_bytes_max = size_t{16} << 20;

constexpr const char* submit_sql =
    "select place, id, model, code, message, hint, param"
    " from sluice.submit_each($1::text[], $2::text[], $3::text[], $4::text[])";

Result<Submitter::Accepted> outcome_of(const PgResult& rows, int row) {
  if (rows.is_null(row, 3)) {
    return Submitter::Accepted{rows.int64(row, 1), std::string(rows.text(row, 2))};
  }
  return tl::unexpected(Error{Error::Action::refuse, std::string(rows.text(row, 3)),
                              std::string(rows.text(row, 4)), std::string(rows.text(row, 5)),
                              std::string(rows.text(row, 6))});
}

}  // namespace

// The server refuses a statement with an unstorable character whole, before any of its SQL runs.
Task<Result<Submitter::Accepted>> Submitter::submit(Submission submission) {
  if (!is_storable(submission.body) || !is_storable(submission.idempotency_key.value_or(""))) {
    co_return tl::unexpected(
        Error{Error::Action::refuse, "22021", "the task or its key is no UTF-8, or has a NUL"});
  }
  auto waiting = std::make_shared<Waiting>();
  waiting->submission = std::move(submission);
  waiting_.push_back(waiting);
  start_flushes();
  co_await waiting->done.wait();
  co_return std::move(*waiting->result);
}

void Submitter::start_flushes() {
  while (flushes_ < flushes_max && !waiting_.empty()) {
    ++flushes_;
    tasks_.spawn(flush(take_batch()));
  }
}

Submitter::Batch Submitter::take_batch() {
  Batch batch;
  size_t bytes = 0;
  while (!waiting_.empty() && batch.size() < batch_rows_max) {
    bytes += waiting_.front()->submission.body.size();
    if (!batch.empty() && bytes > batch_bytes_max) break;
    batch.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return batch;
}

Task<void> Submitter::flush(Batch batch) {
  PgTextArray bodies, tenants, keys, traceparents;
  for (const auto& waiting : batch) {
    bodies.add(waiting->submission.body);
    waiting->submission.body = std::string();
    tenants.add(waiting->submission.tenant);
    keys.add(waiting->submission.idempotency_key);
    traceparents.add(waiting->submission.traceparent);
  }
  PgParams params = {bodies.param(), tenants.param(), keys.param(), traceparents.param()};
  Task<Result<PgResult>> reply = database_.query(submit_sql, std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  for (int row = 0; rows && row < rows->rows(); ++row) {
    const auto place = static_cast<size_t>(rows->int64(row, 0) - 1);
    batch[place]->result = outcome_of(*rows, row);
  }
  for (const auto& waiting : batch) {
    if (!rows) waiting->result = tl::unexpected(rows.error());
    waiting->done.raise();
  }
  --flushes_;
  start_flushes();
}

}  // namespace sluice
