#include "worker/outcome_store.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

#include "bounds.h"
#include "counted.h"

namespace sluice {

namespace {

// Of these the database keeps a late one (judge_late): somebody may have paid for it. The others
// say nothing about their task that a repetition could not say.
bool is_kept_late(const Outcome& outcome) {
  return std::holds_alternative<Solved>(outcome) || std::holds_alternative<Failed>(outcome) ||
         std::holds_alternative<Retry>(outcome);
}

// Results that came when the task was no longer ours.
int64_t count_late(const Completer::Batch& batch, const std::vector<Applied>& applied) {
  std::set<TaskKey> kept;
  for (const EndedCall& ended : batch.ended) {
    if (is_kept_late(ended.outcome)) kept.insert(ended.key);
  }
  return std::count_if(applied.begin(), applied.end(), [&kept](const Applied& answer) {
    return !answer.applied && kept.contains(answer.key);
  });
}

}  // namespace

OutcomeStore::OutcomeStore(Clock& clock, Metrics& metrics, DatabaseLink& link, const Calls& calls,
                           std::function<void(const std::vector<EndedCall>&)> on_stored)
    : clock_(clock),
      metrics_(metrics),
      link_(link),
      calls_(calls),
      on_stored_(std::move(on_stored)),
      announcer_(metrics) {}

Co<void> OutcomeStore::run() {
  while (!finishing_) {
    if (may_store()) {
      begin();
    } else if (!link_.may_send()) {
      co_await change_.wait_until(clock_, link_.not_before_ns());
    } else if (const int64_t look_ns = look_at_ns(); look_ns > clock_.now_ns()) {
      co_await change_.wait_until(clock_, look_ns);
    } else {
      co_await change_.wait();
    }
  }
}

// When the pause after a large one is over, or that of those set aside; 0: neither waits.
int64_t OutcomeStore::look_at_ns() const {
  if (must_pause()) return large_not_before_ns_;
  return completer_.has_aside() ? aside_not_before_ns_ : 0;
}

void OutcomeStore::finish() {
  finishing_ = true;
  change_.raise();
}

void OutcomeStore::add(int64_t worker, EndedCall ended) {
  completer_.add(worker, std::move(ended));
  change_.raise();
}

// Outcomes go ahead of the claim: they make room.
void OutcomeStore::begin_flush() {
  if (may_store()) begin();
  is_flushing_ = true;
}

void OutcomeStore::end_flush() {
  is_flushing_ = false;
  change_.raise();
}

// In a session shared with the flushes, outcomes are sent only between two flushes: more often
// would mean more batches, each with its own commit (a drain ran at 0.94 of its speed). Nothing is
// stored until the worker knows what it holds.
bool OutcomeStore::may_store() const {
  return ((completer_.has_next() && !must_pause()) || may_take_aside()) && !is_storing_ &&
         (link_.database().stores_apart() || !is_flushing_) && !must_reread_ &&
         link_.is_connected() && link_.may_send();
}

bool OutcomeStore::may_take_aside() const {
  return completer_.has_aside() && clock_.now_ns() >= aside_not_before_ns_;
}

bool OutcomeStore::must_pause() const {
  return completer_.has_next() && !completer_.has_small() && !may_take_large();
}

// One batch at a time: meanwhile the outcomes of the next gather. It is sent before this returns.
void OutcomeStore::begin() {
  is_storing_ = true;
  Completer::Batch batch =
      may_take_aside() ? completer_.take_aside() : completer_.take(may_take_large());
  Co<Result<std::vector<Applied>>> completion =
      link_.database().complete(batch.worker, batch.ended);
  link_.want_flush();  // their slots are free
  spawn(store(std::move(batch), std::move(completion), clock_.now_ns()));
}

Co<void> OutcomeStore::store(Completer::Batch batch, Co<Result<std::vector<Applied>>> completion,
                             int64_t begun_ns) {
  const Result<std::vector<Applied>> applied = co_await std::move(completion);
  is_storing_ = false;
  const int64_t took_ns = clock_.now_ns() - begun_ns;
  metrics_.note_flush(static_cast<double>(took_ns) / static_cast<double>(ns_per_s));
  note_time(batch, took_ns);
  if (applied) {
    note_stored(batch, *applied);
    on_stored_(batch.ended);
  } else {
    note_failed(std::move(batch), applied.error());
    on_stored_({});
  }
  change_.raise();
  link_.want_flush();
}

// While nothing but large outcomes comes there is no pause.
void OutcomeStore::note_time(const Completer::Batch& batch, int64_t took_ns) {
  if (!batch.is_large) {
    has_stored_small_ = true;
    return;
  }
  const bool others_come = std::exchange(has_stored_small_, false) || completer_.has_small();
  const int64_t pause_ns = others_come ? bounds::complete_pause_factor * took_ns : 0;
  large_not_before_ns_ = clock_.now_ns() + pause_ns;
}

void OutcomeStore::note_stored(const Completer::Batch& batch, const std::vector<Applied>& applied) {
  completer_.note_stored();
  if (batch.was_aside) completer_.take_up_aside();
  is_refused_ = completer_.has_aside();
  if (!is_refused_) aside_backoff_.note_success();
  announcer_.note_stored(applied);
  const auto late = count_late(batch, applied);
  if (late == 0) return;
  spdlog::warn("{} came too late, kept for audit only", counted(late, "result"));
  metrics_.note_late(static_cast<int>(late));
}

void OutcomeStore::note_failed(Completer::Batch batch, const Error& error) {
  link_.note_failure(error, "recording results");
  if (error.action == Error::Action::reconnect) return completer_.put_back(std::move(batch));
  const bool passes_soon = error.action == Error::Action::retry_later &&  // a lock, a deadlock
                           !error.code.starts_with("53") && error.code != "25006";
  if (!passes_soon) is_refused_ = true;
  if (error.action == Error::Action::retry_later) return completer_.put_back(std::move(batch));
  const bool is_first_aside = batch.was_aside || !completer_.has_aside();
  completer_.put_back_refused(std::move(batch), error);
  if (!completer_.has_aside() || !is_first_aside) return;
  aside_backoff_.note_failure(bounds::aside_pause_ms_max);
  aside_not_before_ns_ = clock_.now_ns() + aside_backoff_.pause_ms() * ns_per_ms;
}

// ---- what this worker holds ----

bool OutcomeStore::send_reread(Flush& flush) {
  if (!may_reread()) return false;
  flush.add(link_.database().held_leases(link_.worker()),
            [this](const Result<std::vector<TaskKey>>& held) { on_reread(held); });
  return true;
}

// A task that the worker holds without knowing of it was claimed by a claim whose answer was lost.
// No request was sent, so it goes back uncharged.
void OutcomeStore::on_reread(const Result<std::vector<TaskKey>>& held) {
  if (!held) return link_.note_failure(held.error(), "reading what this worker holds");
  must_reread_ = false;  // not earlier: nothing is stored meanwhile
  const bool is_last = again_ms_ > bounds::reread_again_ms_max;
  again_at_ns_ = is_last ? 0 : clock_.now_ns() + again_ms_ * ns_per_ms;
  again_ms_ *= 2;
  for (const TaskKey& key : *held) {
    if (!calls_.contains(key) && !completer_.contains(key)) {
      completer_.add(link_.worker(), EndedCall{key, Returned()});
    }
  }
}

// ---- events ----

// Of what earlier flushes have stored: its transaction has committed. The last statement, for it
// may wait for others who notify.
void OutcomeStore::send_announcement(Flush& flush) {
  if (announcer_.empty()) return;
  const std::vector<int64_t> ids = announcer_.take();
  flush.add(link_.database().announce(ids),
            [this, count = ids.size()](const Result<int64_t>& announced) {
              announcer_.note_announced(count, announced);
            });
}

}  // namespace sluice
