#include "worker/announcer.h"

#include <doctest/doctest.h>

#include "bounds.h"

namespace sluice {

namespace {

std::vector<Applied> stored(int64_t first, size_t count, bool applied = true) {
  std::vector<Applied> answers;
  for (size_t i = 0; i < count; ++i) {
    answers.push_back({TaskKey{first + static_cast<int64_t>(i), 1}, applied});
  }
  return answers;
}

bool has_dropped(const Metrics& metrics, size_t ids) {
  const std::string line = "\nsluice_worker_events_dropped_total " + std::to_string(ids) + "\n";
  return metrics.text().find(line) != std::string::npos;
}

}  // namespace

TEST_CASE("ids are kept only while somebody wants them") {
  Metrics metrics;
  Announcer announcer(metrics);
  announcer.note_stored(stored(1, 3));
  CHECK(announcer.empty());
  announcer.want(true);
  announcer.note_stored(stored(1, 3));
  announcer.note_stored(stored(4, 2, false));  // late: another worker's to announce
  CHECK(announcer.take() == std::vector<int64_t>{1, 2, 3});
  announcer.note_stored(stored(6, 1));
  announcer.want(false);
  CHECK(announcer.empty());
  CHECK(has_dropped(metrics, 0));
}

TEST_CASE("ids are announced in order and in batches") {
  Metrics metrics;
  Announcer announcer(metrics);
  announcer.want(true);
  announcer.note_stored(stored(1, bounds::events_batch_max + 1));
  const std::vector<int64_t> first = announcer.take();
  CHECK(first.size() == bounds::events_batch_max);
  CHECK(first.front() == 1);
  CHECK(announcer.take() == std::vector<int64_t>{static_cast<int64_t>(first.size()) + 1});
}

TEST_CASE("ids that do not fit and those of a failed statement are dropped and counted") {
  Metrics metrics;
  Announcer announcer(metrics);
  announcer.want(true);
  announcer.note_stored(stored(1, bounds::events_waiting_max + 2));
  CHECK(has_dropped(metrics, 2));
  announcer.note_announced(5, tl::unexpected(Error{Error::Action::retry_later, "55P03", "busy"}));
  announcer.note_announced(7, Result<int64_t>(7));
  CHECK(has_dropped(metrics, 7));
}

}  // namespace sluice
