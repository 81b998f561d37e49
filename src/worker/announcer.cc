#include "worker/announcer.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "bounds.h"

namespace sluice {

void Announcer::want(bool events) {
  wanted_ = events;
  if (!wanted_) waiting_.clear();
}

void Announcer::note_stored(const std::vector<Applied>& stored) {
  if (!wanted_) return;
  int dropped = 0;
  for (const Applied& answer : stored) {
    if (!answer.applied) continue;
    if (waiting_.size() < bounds::events_waiting_max) {
      waiting_.push_back(answer.key.task_id);
    } else {
      ++dropped;
    }
  }
  metrics_.note_events_dropped(dropped);
}

std::vector<int64_t> Announcer::take() {
  const auto count = std::min(waiting_.size(), bounds::events_batch_max);
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<int64_t> ids(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  return ids;
}

void Announcer::note_announced(size_t count, const Result<int64_t>& announced) {
  if (!announced) metrics_.note_events_dropped(static_cast<int>(count));
  if (failing_ == !announced) return;
  failing_ = !announced;
  if (failing_) {
    spdlog::warn("ids of finished tasks are dropped: {} {}", announced.error().code,
                 announced.error().message);
  } else {
    spdlog::info("ids of finished tasks are announced again");
  }
}

}  // namespace sluice
