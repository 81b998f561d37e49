#include "worker/wakeups.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "bounds.h"

namespace sluice {

Wakeups::Wakeups(Clock& clock, Database& database, Owner& owner)
    : clock_(clock), database_(database), owner_(owner) {}

Co<void> Wakeups::run() {
  while (!stopped_) {
    if (!database_.is_listening()) {
      co_await listen_again();
    } else if (owner_.is_asleep()) {
      co_await sleep();
    } else if (look_at_demand() != Demand::idle) {
      co_await step_aside();
    } else if (!is_watcher_) {
      co_await try_to_watch();
    } else {
      co_await check_and_sleep();
    }
  }
  if (is_watcher_ && database_.is_listening()) {
    Co<Result<void>> locks = database_.drop_sleeper_locks(std::exchange(locks_, {}));
    Co<Result<void>> resigned = database_.resign_watcher(owner_.worker_id(), true);
    co_await std::move(locks);
    co_await std::move(resigned);
  }
  is_watcher_ = false;
}

void Wakeups::stop() {
  stopped_ = true;
  change_.raise();
}

void Wakeups::note_work(int64_t model) {
  if (notified_.size() >= bounds::notified_models_max) {
    notified_.assign(1, 0);
  } else if (std::find(notified_.begin(), notified_.end(), model) == notified_.end()) {
    notified_.push_back(model);
  }
  change_.raise();
}

void Wakeups::note_demand() {
  if (owner_.demand() != seen_demand_) change_.raise();
}

int64_t Wakeups::after_ms(int64_t ms) const {
  return clock_.now_ns() + ms * ns_per_ms;
}

// The session is gone, and with it the watcher's role and the sleeper locks. Until it is back the
// owner polls.
Co<void> Wakeups::listen_again() {
  is_watcher_ = keeps_locks_ = false;
  locks_.clear();
  if (const int64_t pause_ms = backoff_.pause_ms(); pause_ms > 0) {
    const int64_t until_ns = after_ms(pause_ms);
    while (!stopped_ && clock_.now_ns() < until_ns) co_await change_.wait_until(clock_, until_ns);
    if (stopped_) co_return;
    owner_.wake();
  }
  Result<void> listening = co_await database_.listen();
  if (listening) {
    backoff_.note_success();
    if (database_.listen_mode() == ListenMode::poll) {
      spdlog::warn(
          "a pooler is between this worker and PostgreSQL: polling once a second instead of "
          "listening; --direct-url names a way around it");
    }
    owner_.catch_up();
    co_return;
  }
  if (listening.error().action != Error::Action::reconnect) {
    spdlog::warn("cannot listen for work, polling meanwhile: {}", listening.error().message);
  }
  backoff_.note_failure(bounds::look_interval_ms);
}

// Watcher or not: whoever makes a task of an idle line ready is heard by all.
Co<void> Wakeups::sleep() {
  notified_.clear();
  is_calm_ = false;
  co_await change_.wait();
  if (owner_.is_asleep()) co_return;
  poll_at_ns_ = 0;
  if (!notified_.empty()) wake_owner();
}

// The owner is busy. With no slot free somebody else becomes the watcher; if work remains, that one
// is told.
Co<void> Wakeups::step_aside() {
  if (is_watcher_ && look_at_demand() == Demand::full) {
    is_watcher_ = keeps_locks_ = false;
    Co<Result<void>> locks = database_.drop_sleeper_locks(std::exchange(locks_, {}));
    Co<Result<void>> resigned = database_.resign_watcher(owner_.worker_id(), owner_.work_remains());
    co_await std::move(locks);
    co_await std::move(resigned);
    co_return;
  }
  if (keeps_locks_) {
    const int64_t until_ns = woken_at_ns_ + bounds::keep_locks_ms * ns_per_ms;
    co_await change_.wait_until(clock_, until_ns);
    keeps_locks_ = keeps_locks_ && clock_.now_ns() < until_ns;
    co_return;
  }
  drop_sleeper_locks();
  co_await change_.wait();
}

// Another worker watches, or seems to: one that is frozen stays the watcher and wakes nobody. So
// look once a second all the same, whatever is notified meanwhile.
Co<void> Wakeups::try_to_watch() {
  notified_.clear();
  Result<bool> taken = co_await database_.become_watcher(owner_.worker_id());
  if (!taken) {
    if (taken.error().action == Error::Action::reconnect) co_return;
    spdlog::warn("cannot try to become the watcher: {}", taken.error().message);
  }
  is_watcher_ = taken && *taken;
  if (is_watcher_) co_return;
  if (clock_.now_ns() >= poll_at_ns_) {
    poll_at_ns_ = after_ms(bounds::look_interval_ms);
    owner_.wake();
  } else if (notified_.empty()) {
    co_await change_.wait_until(clock_, poll_at_ns_);
  }
}

Co<void> Wakeups::check_and_sleep() {
  if (std::exchange(keeps_locks_, false)) {
    co_await let_calls_begin();
    if (!notified_.empty()) wake_owner();
    if (stopped_ || look_at_demand() != Demand::idle) co_return;
  }
  notified_.clear();
  is_calm_ = false;
  const int64_t begun_ns = clock_.now_ns();
  Result<SleepCheck> check = co_await database_.take_sleeper_locks(owner_.worker_id(), locks_);
  const int64_t look_ms = (clock_.now_ns() - begun_ns) / ns_per_ms;
  if (!check) {
    if (check.error().action == Error::Action::reconnect) co_return;
    const bool is_deletion = misses_relation(check.error()) && !std::exchange(misses_, true);
    spdlog::log(is_deletion ? spdlog::level::info : spdlog::level::warn, "cannot look for work: {}",
                check.error().message);
    co_await change_.wait_until(clock_, after_ms(bounds::look_interval_ms));
    co_return;
  }
  misses_ = false;
  locks_ = check->locks;
  if (check->work) notified_.clear();  // wherever it is: wake for all
  if (!std::exchange(woken_for_work_, check->work) && check->work) {
    wake_owner();
    co_return;
  }
  // Either a claim came back empty although there is work (its model's lock was busy), or a
  // submitter's open transaction keeps a sleeper lock from us: look again, at growing intervals.
  int64_t sleep_ms = bounds::idle_look_interval_ms;
  if (check->work || !check->complete) {
    const int64_t most_ms =
        check->work ? bounds::look_again_ms_max
                    : std::clamp(bounds::look_again_times * look_ms, bounds::look_again_ms_locked,
                                 bounds::look_again_ms_max);
    look_again_ms_ = std::clamp(look_again_ms_ * 2, bounds::look_again_ms_min, most_ms);
    sleep_ms = look_again_ms_;
  } else {
    look_again_ms_ = 0;
  }
  const bool has_timer = !check->work && check->wake_in_ms && *check->wake_in_ms <= sleep_ms;
  const int64_t wake_at_ns = after_ms(has_timer ? *check->wake_in_ms : sleep_ms);
  if (notified_.empty()) co_await change_.wait_until(clock_, wake_at_ns);
  is_calm_ = check->complete && !check->work && !notified_.empty();
  look_by_ns_ = std::min(wake_at_ns, after_ms(bounds::look_after_claims_ms));
  // Work that the look saw may be any model's, so all are asked, and the names can go: whoever may
  // connect sends names without end.
  if (check->work) notified_.clear();
  // Not if all that is missing is a lock: then it looks again, for a claim would find no more than
  // this look did.
  if (!notified_.empty() || check->work || has_timer) wake_owner();
}

// Claimed tasks go out first: a look costs the machine as much as a claim. A session that makes a
// task ready meanwhile still notifies. If nothing waited before, what was notified is likely to be
// all there is now, and further claims need no look each.
Co<void> Wakeups::let_calls_begin() {
  const int64_t soon_ns = after_ms(bounds::look_after_claim_ms);
  const auto until_ns = [this, soon_ns] { return is_calm_ ? look_by_ns_ : soon_ns; };
  while (!stopped_ && notified_.empty() && clock_.now_ns() < until_ns() &&
         look_at_demand() == Demand::idle) {
    co_await change_.wait_until(clock_, until_ns());
  }
}

// After a pause a claim is likely to bring all there is, and the locks would be wanted again:
// so they are dropped with the second claim in a row. While tasks come all the time they are
// dropped at once, for commits that notify queue for each other.
void Wakeups::wake_owner() {
  const int64_t now_ns = clock_.now_ns();
  keeps_locks_ = now_ns >= woken_at_ns_ + bounds::busy_gap_ms * ns_per_ms;
  woken_at_ns_ = now_ns;
  if (!keeps_locks_) drop_sleeper_locks();
  const std::vector<int64_t> models = std::exchange(notified_, {});
  if (models.empty() || std::find(models.begin(), models.end(), 0) != models.end()) {
    owner_.wake();
  } else {
    for (const int64_t model : models) owner_.wake(model);
  }
}

void Wakeups::note_claimed(size_t tasks) {
  if (tasks > 0) {
    look_again_ms_ = 0;
    woken_for_work_ = false;
  } else if (std::exchange(is_calm_, false)) {
    change_.raise();  // a task is not ready yet, its model is blocked, or another one has it
  }
  if (owner_.demand() != Demand::idle && std::exchange(keeps_locks_, false)) change_.raise();
}

// Awake: whoever makes a task ready need not notify now. Not waited for: a needless notification
// meanwhile is harmless.
void Wakeups::drop_sleeper_locks() {
  if (locks_.empty() || !database_.is_listening()) return;
  Co<Result<void>> dropped = database_.drop_sleeper_locks(std::exchange(locks_, {}));
}

}  // namespace sluice
