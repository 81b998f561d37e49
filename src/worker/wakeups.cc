#include "worker/wakeups.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "bounds.h"

namespace sluice {

Wakeups::Wakeups(Clock& clock, Database& database, Owner& owner)
    : clock_(clock), database_(database), owner_(owner) {}

Task<void> Wakeups::run() {
  while (!stopped_) {
    if (!database_.is_listening()) {
      co_await listen_again();
    } else if (owner_.is_asleep()) {
      co_await sleep();
    } else if (owner_.appetite() != Appetite::sated) {
      co_await step_aside();
    } else if (!watching_) {
      co_await try_watch();
    } else {
      co_await look_and_sleep();
    }
  }
  if (watching_ && database_.is_listening()) {
    Task<Result<void>> bells = database_.drop_bells(std::exchange(bells_, {}));
    Task<Result<void>> watch = database_.drop_watch(owner_.worker_id(), true);
    co_await std::move(bells);
    co_await std::move(watch);
  }
  watching_ = false;
}

void Wakeups::stop() {
  stopped_ = true;
  change_.raise();
}

void Wakeups::note_work(int64_t model) {
  if (std::find(notified_.begin(), notified_.end(), model) == notified_.end()) {
    notified_.push_back(model);
  }
  change_.raise();
}

int64_t Wakeups::after_ms(int64_t ms) const {
  return clock_.now_ns() + ms * ns_per_ms;
}

// The session is gone, and with it the watch and the bells. Until it is back the owner polls.
Task<void> Wakeups::listen_again() {
  watching_ = false;
  bells_.clear();
  if (reconnect_pause_ms_ > 0) {
    const auto pause_ms =
        std::uniform_int_distribution<int64_t>(0, reconnect_pause_ms_)(random_) + 1;
    const int64_t until_ns = after_ms(pause_ms);
    while (!stopped_ && clock_.now_ns() < until_ns) co_await change_.wait_until(clock_, until_ns);
    if (stopped_) co_return;
    owner_.wake();
  }
  Result<void> listening = co_await database_.listen();
  if (listening) {
    reconnect_pause_ms_ = 0;
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
  reconnect_pause_ms_ = std::clamp(reconnect_pause_ms_ * 2, bounds::reconnect_pause_ms_base,
                                   bounds::look_interval_ms);
}

// With the watch and its bells, or without: whoever rings for a line that was quiet is heard by
// all.
Task<void> Wakeups::sleep() {
  notified_.clear();
  co_await change_.wait();
  if (owner_.is_asleep()) co_return;
  poll_at_ns_ = 0;
  if (!notified_.empty()) wake_owner();
}

// The owner is busy. With no slot free the watch goes to somebody else; if work remains, that one
// is told.
Task<void> Wakeups::step_aside() {
  if (watching_ && owner_.appetite() == Appetite::full) {
    watching_ = false;
    Task<Result<void>> bells = database_.drop_bells(std::exchange(bells_, {}));
    Task<Result<void>> watch = database_.drop_watch(owner_.worker_id(), owner_.work_remains());
    co_await std::move(bells);
    co_await std::move(watch);
    co_return;
  }
  drop_bells();
  co_await change_.wait();
}

// Another worker watches, or seems to: one that is frozen keeps the watch and wakes nobody. So look
// once a second all the same, whatever is notified meanwhile.
Task<void> Wakeups::try_watch() {
  notified_.clear();
  Result<bool> taken = co_await database_.take_watch(owner_.worker_id());
  if (!taken) {
    if (taken.error().action == Error::Action::reconnect) co_return;
    spdlog::warn("cannot try for the watch: {}", taken.error().message);
  }
  watching_ = taken && *taken;
  if (watching_) co_return;
  if (clock_.now_ns() >= poll_at_ns_) {
    poll_at_ns_ = after_ms(bounds::look_interval_ms);
    owner_.wake();
  } else if (notified_.empty()) {
    co_await change_.wait_until(clock_, poll_at_ns_);
  }
}

Task<void> Wakeups::look_and_sleep() {
  notified_.clear();
  Result<Look> look = co_await database_.take_bells(owner_.worker_id(), bells_);
  if (!look) {
    if (look.error().action == Error::Action::reconnect) co_return;
    spdlog::warn("cannot look for work: {}", look.error().message);
    co_await change_.wait_until(clock_, after_ms(bounds::look_interval_ms));
    co_return;
  }
  bells_ = look->bells;
  if (look->work) notified_.clear();  // wherever it is: wake for all
  if (!std::exchange(woken_for_work_, look->work) && look->work) {
    wake_owner();
    co_return;
  }
  // Either a claim came back empty although there is work (its model's lock was busy), or a
  // submitter's open transaction keeps a bell from us: look again, at growing intervals.
  int64_t sleep_ms = bounds::idle_look_interval_ms;
  if (look->work || !look->complete) {
    look_again_ms_ =
        std::clamp(look_again_ms_ * 2, bounds::look_again_ms_min, bounds::look_again_ms_max);
    sleep_ms = look_again_ms_;
  } else {
    look_again_ms_ = 0;
  }
  const bool has_timer = !look->work && look->wake_in_ms && *look->wake_in_ms <= sleep_ms;
  const int64_t wake_in_ms = has_timer ? *look->wake_in_ms : sleep_ms;
  if (notified_.empty())
    co_await change_.wait_until(clock_, after_ms(std::min(sleep_ms, wake_in_ms)));
  // Without one of its bells it looks again instead: a claim would find no more than the look.
  if (!notified_.empty() || look->work || has_timer) wake_owner();
}

void Wakeups::wake_owner() {
  drop_bells();
  const std::vector<int64_t> models = std::exchange(notified_, {});
  if (models.empty() || std::find(models.begin(), models.end(), 0) != models.end()) {
    owner_.wake();
  } else {
    for (const int64_t model : models) owner_.wake(model);
  }
}

// Awake: whoever makes a task ready need not notify now. Not waited for: a false ring meanwhile is
// harmless.
void Wakeups::drop_bells() {
  if (bells_.empty() || !database_.is_listening()) return;
  Task<Result<void>> dropped = database_.drop_bells(std::exchange(bells_, {}));
}

}  // namespace sluice
