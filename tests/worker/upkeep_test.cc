#include "worker/upkeep.h"

#include <doctest/doctest.h>

#include "bounds.h"
#include "support/worker_bench.h"

namespace sluice {

TEST_CASE("retention has a round a minute, and the next at once after one that removed something") {
  WorkerBench bench;
  bench.database.removable = 7;
  bench.start();
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("retain") == 1);
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("retain") == 2);
  bench.pass_ms(bounds::retention_interval_ms - 1);
  CHECK(bench.database.called("retain") == 2);
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("retain") == 3);
}

TEST_CASE("the history has a look a minute, and the next at once while there is more to count") {
  WorkerBench bench;
  bench.database.uncounted = 7;
  bench.start();
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("keep_history") == 1);
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("keep_history") == 2);
  bench.pass_ms(bounds::history_interval_ms - 1);
  CHECK(bench.database.called("keep_history") == 2);
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("keep_history") == 3);
}

TEST_CASE(
    "a call that is no longer wanted is aborted at the next heartbeat and ends as cancelled") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.unwanted = {TaskKey{1, 1}, TaskKey{7, 1}};
  bench.pass_ms(5001);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Cancelled>(bench.outcome(0, 0)));
}

TEST_CASE("a notification for this worker brings the heartbeat forward, one for another does not") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  const int beats = bench.database.called("heartbeat");
  bench.database.on_abort(7);
  CHECK(bench.database.called("heartbeat") == beats);
  bench.database.unwanted = {TaskKey{1, 1}};
  bench.database.on_abort(101);
  CHECK(bench.database.called("heartbeat") == beats + 1);
  CHECK(bench.database.stored() == 1);
}

TEST_CASE("without notifications a worker with calls asks every second what to abort") {
  WorkerBench bench;
  bench.database.pooled = true;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.unwanted = {TaskKey{1, 1}};
  bench.pass_ms(1001);
  CHECK(bench.database.stored() == 1);
}

}  // namespace sluice
