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

Co<void> OutcomeStore::run(Lane& lane) {
  while (!finishing_) {
    if (may_store(lane)) begin(lane);
    if (const int64_t look_ns = look_at_ns(lane); look_ns != 0) {
      co_await lane.change.wait_until(clock_, look_ns);
    } else {
      co_await lane.change.wait();
    }
    end_idle_session(lane);
  }
}

// When a pause is over, or the session has been idle for long enough; 0: none of them.
int64_t OutcomeStore::look_at_ns(const Lane& lane) const {
  if (lane.is_storing) return 0;
  const int64_t now_ns = clock_.now_ns();
  if (!lane.completer.empty()) {
    const int64_t pause_ns = std::max(link_.not_before_ns(), lane.not_before_ns);
    if (pause_ns > now_ns) return pause_ns;
    if (lane.completer.has_aside() && lane.aside_not_before_ns > now_ns)
      return lane.aside_not_before_ns;
  }
  return lane.end_at_ns;
}

void OutcomeStore::end_idle_session(Lane& lane) {
  if (lane.end_at_ns == 0 || lane.is_storing || clock_.now_ns() < lane.end_at_ns) return;
  link_.database().end_large_outcomes();
  lane.end_at_ns = 0;
}

void OutcomeStore::finish() {
  finishing_ = true;
  look();
}

void OutcomeStore::look() {
  small_.change.raise();
  large_.change.raise();
}

void OutcomeStore::add(int64_t worker, EndedCall ended) {
  Lane& lane = is_large(ended.outcome) ? large_ : small_;
  lane.completer.add(worker, std::move(ended));
  lane.change.raise();
}

// Outcomes go ahead of the claim: they make room.
void OutcomeStore::begin_flush() {
  if (may_store(small_)) begin(small_);
  is_flushing_ = true;
}

void OutcomeStore::end_flush() {
  is_flushing_ = false;
  small_.change.raise();
  if (!large_.completer.empty()) large_.change.raise();
}

// In a session shared with the flushes, outcomes are sent only between two flushes: more often
// would mean more batches, each with its own commit (a drain ran at 0.94 of its speed). Nothing is
// stored until the worker knows what it holds.
bool OutcomeStore::may_store(const Lane& lane) const {
  return (lane.completer.has_next() || may_take_aside(lane)) && !lane.is_storing &&
         (lane.is_large || link_.database().stores_apart() || !is_flushing_) && !must_reread_ &&
         link_.is_connected() && link_.may_send() && clock_.now_ns() >= lane.not_before_ns;
}

bool OutcomeStore::may_take_aside(const Lane& lane) const {
  return lane.completer.has_aside() && clock_.now_ns() >= lane.aside_not_before_ns;
}

// One batch at a time: meanwhile the outcomes of the next gather. A small one is sent before this
// returns.
void OutcomeStore::begin(Lane& lane) {
  lane.is_storing = true;
  if (lane.is_large) return spawn(store_large(lane));
  Completer::Batch batch = take(lane);
  Co<Result<std::vector<Applied>>> completion =
      link_.database().complete(batch.worker, batch.ended);
  link_.want_flush();  // their slots are free
  spawn(store(lane, std::move(batch), std::move(completion), clock_.now_ns()));
}

Completer::Batch OutcomeStore::take(Lane& lane) const {
  return may_take_aside(lane) ? lane.completer.take_aside() : lane.completer.take();
}

// It is taken when its session is there: a call holds its slot until its outcome has been sent.
Co<void> OutcomeStore::store_large(Lane& lane) {
  co_await link_.database().open_for_large_outcomes();
  Completer::Batch batch = take(lane);
  Co<Result<std::vector<Applied>>> completion =
      link_.database().complete_large(batch.worker, batch.ended);
  link_.want_flush();
  Co<void> stored = store(lane, std::move(batch), std::move(completion), clock_.now_ns());
  co_await std::move(stored);
}

Co<void> OutcomeStore::store(Lane& lane, Completer::Batch batch,
                             Co<Result<std::vector<Applied>>> completion, int64_t begun_ns) {
  lane.under_way = &batch;
  const Result<std::vector<Applied>> applied = co_await std::move(completion);
  lane.is_storing = false;
  lane.under_way = nullptr;
  const int64_t now_ns = clock_.now_ns();
  metrics_.note_flush(static_cast<double>(now_ns - begun_ns) / static_cast<double>(ns_per_s));
  if (lane.is_large) lane.end_at_ns = now_ns + bounds::large_session_idle_ms * ns_per_ms;
  if (applied) {
    note_stored(lane, batch, *applied);
    on_stored_(batch.ended);
  } else {
    note_failed(lane, std::move(batch), applied.error());
    on_stored_({});
  }
  lane.change.raise();
  link_.want_flush();
}

void OutcomeStore::note_stored(Lane& lane, const Completer::Batch& batch,
                               const std::vector<Applied>& applied) {
  lane.backoff.note_success();
  lane.completer.note_stored();
  if (batch.was_aside) lane.completer.take_up_aside();
  lane.is_refused = lane.completer.has_aside();
  if (!lane.is_refused) lane.aside_backoff.note_success();
  announcer_.note_stored(applied);
  const auto late = count_late(batch, applied);
  if (late == 0) return;
  spdlog::warn("{} came too late, kept for audit only", counted(late, "result"));
  metrics_.note_late(static_cast<int>(late));
}

void OutcomeStore::note_failed(Lane& lane, Completer::Batch batch, const Error& error) {
  note_error(lane, error);
  if (error.action == Error::Action::reconnect) return lane.completer.put_back(std::move(batch));
  const bool passes_soon = error.action == Error::Action::retry_later &&  // a lock, a deadlock
                           !error.code.starts_with("53") && error.code != "25006";
  if (!passes_soon) lane.is_refused = true;
  if (error.action == Error::Action::retry_later) return lane.completer.put_back(std::move(batch));
  const bool is_first_aside = batch.was_aside || !lane.completer.has_aside();
  lane.completer.put_back_refused(std::move(batch), error);
  if (!lane.completer.has_aside() || !is_first_aside) return;
  lane.aside_backoff.note_failure(bounds::aside_pause_ms_max);
  lane.aside_not_before_ns = clock_.now_ns() + lane.aside_backoff.pause_ms() * ns_per_ms;
}

// The loss of the worker's usual sessions ends in a reconnect. The one for large outcomes may be
// lost alone, time and again, of which nobody else would tell.
void OutcomeStore::note_error(Lane& lane, Error error) {
  if (!lane.is_large) return link_.note_failure(error, "recording results");
  const bool is_lost = error.action == Error::Action::reconnect && link_.is_connected();
  if (is_lost && lane.backoff.pause_ms() > 0) {
    lane.is_refused = true;
    error.action = Error::Action::retry_later;
  }
  link_.note_error(error, "recording a large result");
  if (!link_.is_connected()) return;
  lane.backoff.note_failure(bounds::large_pause_ms_max);
  lane.not_before_ns = clock_.now_ns() + lane.backoff.pause_ms() * ns_per_ms;
}

// ---- what this worker holds ----

bool OutcomeStore::send_reread(Flush& flush) {
  if (!may_reread()) return false;
  flush.add(link_.database().held_leases(link_.worker()),
            [this](const Result<std::vector<TaskKey>>& held) { on_reread(held); });
  return true;
}

bool OutcomeStore::contains(const Lane& lane, const TaskKey& key) {
  return lane.completer.contains(key) ||
         (lane.under_way != nullptr &&
          std::any_of(lane.under_way->ended.begin(), lane.under_way->ended.end(),
                      [&key](const EndedCall& ended) { return ended.key == key; }));
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
    if (!calls_.contains(key) && !contains(small_, key) && !contains(large_, key)) {
      small_.completer.add(link_.worker(), EndedCall{key, Returned()});
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
