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

TEST_CASE("while recoveries come back full the next follows at once, without a heartbeat") {
  WorkerBench bench;
  bench.start();
  const int beats = bench.database.called("heartbeat");
  const int recoveries = bench.database.called("recover");
  bench.database.lost = 2 * bounds::recovered_rows_max + 7;
  bench.pass_ms(5001);
  CHECK(bench.database.called("heartbeat") == beats + 1);
  CHECK(bench.database.called("recover") == recoveries + 3);
  CHECK(bench.database.lost == 0);
}

TEST_CASE("steps of jobs follow each other as the database says, and are looked for without any") {
  WorkerBench bench;
  bench.start();
  CHECK(bench.database.called("advance_jobs") == 1);
  bench.pass_ms(bounds::jobs_look_interval_ms + bounds::look_interval_ms);
  CHECK(bench.database.called("advance_jobs") == 2);
  bench.database.job_pause_ms = 20;
  bench.database.on_configuration();  // a job was started
  CHECK(bench.database.called("advance_jobs") == 3);
  for (int n = 0; n < 10; ++n) bench.pass_ms(21);
  CHECK(bench.database.called("advance_jobs") == 13);
  bench.database.job_pause_ms = -1;
  bench.pass_ms(21);
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("advance_jobs") == 14);
}

TEST_CASE("a worker that drains makes no step of a job") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.database.job_pause_ms = 20;
  bench.start();
  bench.worker->drain();
  bench.pass_ms(bounds::look_interval_ms);
  const int steps = bench.database.called("advance_jobs");
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("advance_jobs") == steps);
}

TEST_CASE("no claim waits for a round of retention") {
  WorkerBench bench;
  bench.database.hold("retain");
  bench.start();
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.database.called("retain") == 1);
  bench.database.queue.push_back(task_of(1));
  bench.database.on_work(0);
  CHECK(bench.database.leases.size() == 1);
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
