#include "worker/intake.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bounds.h"

namespace sluice {

Intake::Intake(int slots, Clock& clock, Metrics& metrics, const ServedModels& models,
               DatabaseLink& link, Calls& calls, const OutcomeStore& outcomes,
               std::function<void(size_t)> on_claimed)
    : slots_(slots),
      clock_(clock),
      metrics_(metrics),
      models_(models),
      link_(link),
      calls_(calls),
      outcomes_(outcomes),
      on_claimed_(std::move(on_claimed)),
      concurrency_(slots) {}

void Intake::serve(const std::vector<Model>& served) {
  claimer_.serve(served);
  concurrency_.serve(served);
  if (served.empty()) has_looked_ = true;
}

void Intake::note_stored(const std::vector<EndedCall>& stored) {
  if (!link_.database().stores_apart() || !models_.has_ceiling()) return;
  std::set<int> bounded;
  for (const EndedCall& ended : stored) {
    const SharedModel model = models_.find(ended.model);
    if (model && model->max_in_flight) bounded.insert(model->id);
  }
  for (const int model : bounded) claimer_.wake(model);
}

void Intake::note_ended(const std::string& model, const Concurrency::End& end) {
  concurrency_.note_ended(model, end);
  if (concurrency_.is_held_back()) claimer_.wake();
}

// ---- how much there is room for ----

// Urgent tasks have slots of their own: beside them the slots that are kept for a model are there.
int Intake::slots_free() const {
  return slots_ + concurrency_.urgent_in_flight() -
         static_cast<int>(calls_.size() + outcomes_.waiting());
}

// Those that woke us, or all: the database passes over those that have no work.
const std::vector<std::string>& Intake::models_to_claim() const {
  return claimer_.models().empty() ? models_.names() : claimer_.models();
}

// How many to claim when each of `models` may give its share.
int Intake::claim_size(const std::vector<std::string>& models,
                       const std::vector<int>& shares) const {
  return claimer_.wanted(concurrency_.claim_max(models, shares, slots_free()));
}

bool Intake::looks_for_urgent() const {
  return !stopped_ && link_.worker() != 0 && !models_.empty() && concurrency_.has_urgent_slot() &&
         (slots_free() <= 0 || concurrency_.is_held_back());
}

// A worker that is awake is told of nothing. If it were awake for a model that may have no more
// slots, the others could wait, beside the slots that are kept for them, until a call ends (seen:
// 295 s). As an idle one it is told of the others.
bool Intake::is_idle() const {
  if (claimer_.is_idle()) return true;
  if (claimer_.models().empty() || slots_free() <= 0) return false;
  return claim_size(claimer_.models(), concurrency_.shares(claimer_.models(), slots_free())) <= 0;
}

bool Intake::may_claim() const {
  if (stopped_ || slots_free() <= 0 || is_idle()) return false;
  return !claimer_.models().empty() || concurrency_.has_room();
}

bool Intake::has_work() const {
  return (looks_for_urgent() && clock_.now_ns() >= urgent_look_at_ns_) || may_claim();
}

void Intake::note_slot_wait() {
  const bool waits = !stopped_ && !claimer_.is_idle() && slots_free() <= 0;
  if (waits == slot_wanted_since_ns_.has_value()) return;
  if (waits) {
    slot_wanted_since_ns_ = clock_.now_ns();
  } else {
    metrics_.note_slot_wait(static_cast<double>(clock_.now_ns() - *slot_wanted_since_ns_) /
                            static_cast<double>(ns_per_s));
    slot_wanted_since_ns_.reset();
  }
}

// ---- claims ----

void Intake::send(Flush& flush) {
  if (stopped_) return;
  if (slots_free() <= 0) return send_urgent(flush);
  Asked asked{flush.sent_ns(), 0, models_to_claim(), {}};
  asked.shares = concurrency_.shares(asked.models, slots_free());
  asked.tasks = claim_size(asked.models, asked.shares);
  if (asked.tasks <= 0) return send_urgent(flush);
  if (claimer_.wakes_later()) send_waking(flush);
  note_slot_wait();  // over
  Co<Result<std::vector<ClaimedTask>>> claim =
      link_.database().claim(link_.worker(), asked.models, asked.shares, asked.tasks,
                             calls_.allowance().wanted_ms(), claims_apart());
  flush.add(std::move(claim),
            [this, asked = std::move(asked)](Result<std::vector<ClaimedTask>> tasks) {
              on_claimed(asked, std::move(tasks));
            });
}

// Due tasks are woken ahead of the claim that takes them.
void Intake::send_waking(Flush& flush) {
  flush.add(link_.database().wake(), [this](const Result<int64_t>& woken) {
    if (!woken) link_.note_error(woken.error(), "waking");
    claimer_.note_woken();
  });
}

// A claim for all takes urgent tasks first: this is for when there can be none.
void Intake::send_urgent(Flush& flush) {
  if (!looks_for_urgent() || clock_.now_ns() < urgent_look_at_ns_) return;
  urgent_look_at_ns_ = clock_.now_ns() + bounds::urgent_look_interval_ms * ns_per_ms;
  Concurrency::Urgent urgent = concurrency_.urgent();
  if (urgent.models.empty()) return;
  flush.add(link_.database().claim_urgent(link_.worker(), std::move(urgent.models), urgent.most,
                                          calls_.allowance().wanted_ms(), claims_apart()),
            [this, sent_ns = flush.sent_ns()](Result<std::vector<ClaimedTask>> tasks) {
              on_claimed_urgent(sent_ns, std::move(tasks));
            });
}

void Intake::on_claimed(const Asked& asked, Result<std::vector<ClaimedTask>> tasks) {
  if (!tasks) {
    note_failed(tasks.error());
    return link_.note_failure(tasks.error(), "claiming");
  }
  std::map<std::string, int> taken;
  for (const ClaimedTask& task : *tasks) ++taken[task.model];
  claimer_.note_claimed(asked.tasks, taken);
  // It may have ended early (sluice.claim_long), and left other models to the next one.
  const bool was_long = clock_.now_ns() >= asked.sent_ns + bounds::claim_long_ms * ns_per_ms;
  if (was_long && asked.models.size() > 1 && !taken.empty()) claimer_.wake();
  concurrency_.note_claimed(asked.tasks, asked.models, asked.shares, taken);
  has_looked_ = has_looked_ || !taken.empty() || claimer_.is_idle();
  on_claimed_(tasks->size());
  if (tasks->empty()) return metrics_.note_claim_refused();
  begin_all(asked.sent_ns, std::move(*tasks), false);
}

void Intake::on_claimed_urgent(int64_t sent_ns, Result<std::vector<ClaimedTask>> tasks) {
  if (!tasks) {
    note_failed(tasks.error());
    return link_.note_error(tasks.error(), "claiming urgent tasks");
  }
  if (tasks->empty()) return;
  on_claimed_(tasks->size());
  begin_all(sent_ns, std::move(*tasks), true);
}

// Usually a claim is all or nothing, which costs less; so one model whose table is damaged would
// keep a worker from all others.
void Intake::note_failed(const Error& error) {
  if (error.code == "SL010") return link_.want_registration();
  if (error.action == Error::Action::reconnect) return;
  claims_apart_until_ns_ = clock_.now_ns() + bounds::claims_apart_ms * ns_per_ms;
}

bool Intake::claims_apart() const {
  return clock_.now_ns() < claims_apart_until_ns_;
}

void Intake::begin_all(int64_t sent_ns, std::vector<ClaimedTask> tasks, bool in_urgent_slots) {
  metrics_.note_claimed(static_cast<int>(tasks.size()));
  for (ClaimedTask& task : tasks) {
    concurrency_.note_begun(task.model, in_urgent_slots);
    calls_.begin(std::move(task), sent_ns);
  }
}

}  // namespace sluice
