#include "worker/outcome_store.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bounds.h"
#include "support/log_lines.h"
#include "support/worker_bench.h"

namespace sluice {
namespace {

const std::string large_text(bounds::complete_bytes_max, 'x');  // and its envelope

void check_completion_before_claim(const std::vector<std::string>& log) {
  const auto completion = std::find(log.begin(), log.end(), "complete");
  REQUIRE(completion != log.end());
  CHECK(std::find(log.begin(), completion, "claim") == completion);
}

}  // namespace

TEST_CASE("answers that arrive during a flush travel together in the next one") {
  WorkerBench bench;
  for (int64_t id = 1; id <= 5; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 5);
  bench.database.hold();
  bench.http.answer_ok(0, "a");  // its flush is now under way
  for (size_t i = 1; i < 5; ++i) bench.http.answer_ok(i, "b");
  CHECK(bench.database.called("complete") == 1);
  bench.database.release();
  REQUIRE(bench.database.batches.size() == 2);
  CHECK(bench.database.batches[0].size() == 1);
  CHECK(bench.database.batches[1].size() == 4);
}

TEST_CASE("answers are stored during a flush only in a session of their own") {
  for (const bool apart : {false, true}) {
    WorkerBench bench;
    bench.database.apart = apart;
    bench.database.queue.push_back(task_of(1));
    bench.start();
    bench.database.hold();
    bench.database.on_configuration();  // a flush is now under way
    bench.http.answer_ok(0, "a");
    CHECK(bench.database.called("complete") == (apart ? 1 : 0));
    bench.database.release();
    CHECK(bench.database.stored() == 1);
  }
}

TEST_CASE("no outcome waits for a large one, and these go one by one") {
  for (const bool apart : {false, true}) {
    for (const char* const held : {"open_for_large_outcomes", "complete_large"}) {
      WorkerBench bench;
      bench.database.apart = apart;
      for (int64_t id = 1; id <= 5; ++id) bench.database.queue.push_back(task_of(id));
      bench.start();
      REQUIRE(bench.http.count() == 5);
      bench.database.hold(held);
      for (size_t i = 0; i < 3; ++i) bench.http.answer_ok(i, large_text);
      bench.http.answer_ok(3, "a");
      bench.http.answer_ok(4, "b");
      CHECK(bench.database.called("complete") == 2);
      CHECK(bench.database.called(held) == 1);
      bench.database.release();
      CHECK(bench.database.called("complete_large") == 3);
      CHECK(bench.database.stored() == 5);
    }
  }
}

TEST_CASE("a large outcome whose session is lost is kept, and is in nobody's way") {
  WorkerBench bench;
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  bench.database.large_complete_errors.assign(1000, connection_lost);
  bench.http.answer_ok(0, large_text);
  bench.http.answer_ok(1, "a");
  CHECK(bench.database.stored() == 1);
  bench.pass_ms(60'000);
  CHECK(bench.database.called("complete_large") > 10);
  CHECK(bench.database.called("complete_large") < 100);  // the pause has grown
  CHECK(bench.worker->not_ready_because() == "the database refuses to store results");
  bench.database.queue.push_back(task_of(4));
  bench.database.notify();
  bench.http.answer_ok(bench.http.count() - 1, "b");
  CHECK(bench.database.stored() == 2);
  bench.database.large_complete_errors.clear();
  bench.pass_ms(bounds::large_pause_ms_max);
  CHECK(bench.worker->not_ready_because().empty());
  REQUIRE(bench.database.stored() == 3);
  CHECK(std::holds_alternative<Solved>(bench.database.batches.back().front().outcome));
}

TEST_CASE("a large outcome that the database refuses is set aside, and stored later") {
  WorkerBench bench;
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(task_of(id));
  bench.database.damaged_tasks = {1};
  bench.start();
  bench.pass_ms(1000);
  bench.http.answer_ok(0, large_text);
  bench.http.answer_ok(1, large_text);
  bench.http.answer_ok(2, "a");
  bench.pass_ms(bounds::large_pause_ms_max);
  CHECK(bench.database.stored() == 2);
  CHECK(bench.worker->not_ready_because() == "the database refuses to store results");
  bench.database.damaged_tasks.clear();
  bench.pass_ms(6'000);
  REQUIRE(bench.database.stored() == 3);
  CHECK(std::holds_alternative<Solved>(bench.database.batches.back().front().outcome));
  CHECK(bench.worker->not_ready_because().empty());
}

TEST_CASE("a reread neither waits for a large outcome nor hands its task back") {
  WorkerBench bench;
  bench.start();
  bench.database.lose();
  bench.pass_ms(1000);
  const ClaimedTask task = task_of(1);
  bench.database.queue = {task, task_of(2)};
  bench.database.notify();
  REQUIRE(bench.http.count() == 2);
  bench.database.hold("complete_large");
  bench.http.answer_ok(0, large_text);
  bench.database.leases.emplace(task.key, task);  // it has not been committed
  const int rereads = bench.database.called("held_leases");
  bench.pass_ms(bounds::reread_again_ms_min - 1500);
  CHECK(bench.database.called("held_leases") == rereads);
  bench.pass_ms(3000);
  CHECK(bench.database.called("held_leases") == rereads + 1);
  bench.http.answer_ok(1, "a");
  CHECK(bench.database.stored() == 2);
  bench.database.release();
  CHECK(bench.database.stored() == 2);
  for (const auto& batch : bench.database.batches) {
    for (const EndedCall& ended : batch) CHECK(!std::holds_alternative<Returned>(ended.outcome));
  }
}

TEST_CASE("a large outcome under way when the worker's sessions break is not handed back") {
  WorkerBench bench;
  const ClaimedTask task = task_of(1);
  bench.database.queue.push_back(task);
  bench.start();
  bench.database.hold("complete_large");
  bench.database.large_complete_errors.push_back(connection_lost);
  bench.http.answer_ok(0, large_text);
  REQUIRE(bench.database.called("complete_large") == 1);
  bench.database.lose();
  bench.pass_ms(1000);
  CHECK(bench.database.called("complete_large") == 2);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Solved>(bench.outcome(0, 0)));
}

TEST_CASE("a worker that ends waits until a large outcome is stored") {
  for (const char* const held : {"open_for_large_outcomes", "complete_large"}) {
    WorkerBench bench(10, true);
    bench.database.queue.push_back(task_of(1));
    bench.start();
    bench.database.hold(held);
    bench.http.answer_ok(0, large_text);
    bench.database.has_unfinished = false;
    bench.pass_ms(5000);
    bench.worker->drain();
    bench.pass_ms(5000);
    CHECK_FALSE(bench.ended);
    CHECK(bench.database.called("unregister") == 0);
    bench.database.release();
    CHECK(bench.ended);
    CHECK(bench.database.stored() == 1);
  }
}

TEST_CASE("the session for large outcomes ends when none has come for a while") {
  WorkerBench bench;
  for (int64_t id = 1; id <= 2; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  bench.http.answer_ok(0, "a");
  bench.pass_ms(2 * bounds::large_session_idle_ms);
  CHECK(bench.database.called("end_large_outcomes") == 0);  // there was none
  bench.database.queue = {task_of(3), task_of(4)};
  bench.database.notify();
  bench.http.answer_ok(2, large_text);
  bench.pass_ms(500);
  bench.http.answer_ok(3, large_text);
  bench.pass_ms(bounds::large_session_idle_ms - 1);
  CHECK(bench.database.called("end_large_outcomes") == 0);
  bench.pass_ms(1);
  CHECK(bench.database.called("end_large_outcomes") == 1);
  bench.pass_ms(2 * bounds::large_session_idle_ms);
  CHECK(bench.database.called("end_large_outcomes") == 1);
}

TEST_CASE("what was being stored when its session broke is stored, not handed back") {
  WorkerBench bench;
  bench.database.apart = true;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.hold();
  bench.database.complete_errors.push_back(connection_lost);
  bench.http.answer_ok(0, "a");
  REQUIRE(bench.database.called("complete") == 1);
  bench.database.lose();
  bench.pass_ms(1000);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Solved>(bench.outcome(0, 0)));
}

TEST_CASE("results wait in memory while the database is away and are stored afterwards") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  bench.database.reachable = false;
  bench.database.lose();
  bench.http.answer_ok(0, "a");
  bench.http.answer_ok(1, "b");
  bench.pass_ms(3000);
  CHECK(bench.database.stored() == 0);
  bench.database.reachable = true;
  bench.pass_ms(10'000);
  CHECK(bench.database.stored() == 2);
  CHECK(bench.database.registrations == 1);
}

TEST_CASE("ids of finished tasks are announced after their completion, in another flush") {
  WorkerBench bench;
  bench.database.served.events = true;
  bench.database.queue.push_back(task_of(7));
  bench.start();
  bench.database.hold();
  bench.http.answer_ok(0, "seven");
  CHECK(bench.database.called("complete") == 1);
  CHECK(bench.database.called("announce") == 0);  // it is not known yet to be committed
  bench.database.release();
  CHECK(bench.database.announced == std::vector<std::vector<int64_t>>{{7}});
}

TEST_CASE("a failed announcement is neither repeated nor in the way") {
  WorkerBench bench;
  bench.database.served.events = true;
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  bench.database.announce_errors.push_back(connection_lost);
  bench.http.answer_ok(0, "a");
  CHECK(bench.database.called("announce") == 1);
  bench.http.answer_ok(1, "b");
  CHECK(bench.database.stored() == 2);
  CHECK(bench.database.announced == std::vector<std::vector<int64_t>>{{2}});
  CHECK(bench.metrics.text().find("sluice_worker_events_dropped_total 1\n") != std::string::npos);
}

TEST_CASE("without settings.events nothing is announced, and from a change on it is") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  bench.http.answer_ok(0, "a");
  CHECK(bench.database.called("announce") == 0);
  bench.database.served.events = true;
  bench.database.on_configuration();
  bench.http.answer_ok(1, "b");
  CHECK(bench.database.announced == std::vector<std::vector<int64_t>>{{2}});
}

TEST_CASE("a worker that drains announces its last ids") {
  WorkerBench bench;
  bench.database.served.events = true;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.worker->drain();
  bench.http.answer_ok(0, "a");
  CHECK(bench.database.announced == std::vector<std::vector<int64_t>>{{1}});
  CHECK(bench.ended);
}

TEST_CASE("a completion whose answer was lost is repeated") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.database.complete_errors.push_back(connection_lost);
  bench.http.answer_ok(0, "a");
  bench.pass_ms(100);
  CHECK(bench.database.called("complete") == 2);
  CHECK(bench.database.stored() == 1);
}

TEST_CASE("an outcome that comes too late is counted as a late result only if it is kept") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.start();
  bench.database.leases.clear();  // taken back meanwhile
  HttpResponse throttled;
  throttled.status = 429;
  bench.http.answer(0, std::move(throttled));
  CHECK(bench.database.stored() == 1);
  CHECK(bench.metrics.text().find("sluice_late_results_total 0\n") != std::string::npos);
  bench.http.answer_ok(1, "b");
  CHECK(bench.database.stored() == 2);
  CHECK(bench.metrics.text().find("sluice_late_results_total 1\n") != std::string::npos);
}

TEST_CASE("a claim whose answer was lost is found after the reconnect and handed back unsent") {
  for (const bool apart : {false, true}) {
    WorkerBench bench;
    bench.database.apart = apart;
    bench.start();
    bench.database.hold();
    bench.database.queue.push_back(task_of(1));
    bench.database.notify();
    bench.database.lose();  // the claim was committed, its answer is gone
    bench.pass_ms(1000);
    CHECK(bench.http.count() == 0);
    CHECK(bench.database.called("complete") == 1);
    REQUIRE(bench.database.stored() == 1);
    CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
  }
}

TEST_CASE("a claim that a lost session still commits later is found, too, also asleep") {
  for (const bool asleep : {false, true}) {
    WorkerBench bench;
    bench.database.rest = {asleep, 3'600'000};
    bench.start();
    bench.database.lose();
    bench.pass_ms(asleep ? 200'000 : 1000);
    CHECK(bench.database.stored() == 0);
    const ClaimedTask task = task_of(1);
    bench.database.leases.emplace(task.key, task);
    bench.pass_ms(7'200'000);
    REQUIRE(bench.database.stored() == 1);
    CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
    bench.database.leases.emplace(task_of(2).key, task_of(2));
    bench.pass_ms(7'200'000);
    CHECK(bench.database.stored() == 1);  // it does not look for ever
  }
}

TEST_CASE("a completion to be tried later is tried once, whatever else is due then") {
  for (const bool apart : {false, true}) {
    WorkerBench bench;
    bench.database.apart = apart;
    bench.database.queue.push_back(task_of(1));
    bench.start();
    bench.database.complete_errors.push_back({Error::Action::retry_later, "57014", "not now"});
    bench.http.answer_ok(0, "a");
    bench.database.on_configuration();  // a flush waits for the end of the pause, too
    CHECK(bench.database.called("complete") == 1);
    bench.pass_ms(1000);
    CHECK(bench.database.called("complete") == 2);
    CHECK(bench.database.stored() == 1);
  }
}

TEST_CASE("a completion goes ahead of the claim that its slots are for") {
  WorkerBench bench(2);
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 2);
  bench.database.hold();
  bench.database.on_configuration();  // a flush is under way
  bench.http.answer_ok(0, "a");
  bench.database.log.clear();
  bench.database.release();
  check_completion_before_claim(bench.database.log);
  CHECK(bench.http.count() == 3);
}

TEST_CASE("it goes ahead also while there are other slots") {
  WorkerBench bench(3);
  for (int64_t id = 1; id <= 2; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 2);
  bench.database.hold();
  bench.database.on_configuration();  // a flush is under way
  bench.http.answer_ok(0, "a");
  for (int64_t id = 3; id <= 4; ++id) bench.database.queue.push_back(task_of(id));
  bench.database.on_work(0);
  bench.database.log.clear();
  bench.database.release();
  check_completion_before_claim(bench.database.log);
  CHECK(bench.http.count() == 4);
}

TEST_CASE("an outcome that PostgreSQL refuses fails alone") {
  WorkerBench bench;
  for (int64_t id = 1; id <= 4; ++id) bench.database.queue.push_back(task_of(id));
  bench.database.poison = {3};
  bench.start();
  bench.database.hold();
  for (size_t i = 0; i < 4; ++i) bench.http.answer_ok(i, "a");
  bench.database.release();
  bench.pass_ms(5000);
  REQUIRE(bench.database.stored() == 4);
  for (const auto& batch : bench.database.batches) {
    for (const EndedCall& ended : batch) {
      CHECK(std::holds_alternative<Failed>(ended.outcome) == (ended.key.task_id == 3));
    }
  }
}

TEST_CASE("what the database refuses for its own sake is kept, stored later and not called again") {
  const LogLines log;
  WorkerBench bench;
  for (int64_t id = 1; id <= 6; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  bench.pass_ms(1000);
  CHECK(bench.worker->not_ready_because().empty());
  const Error no_right{Error::Action::bug, "42501", "permission denied"};
  bench.database.complete_errors.assign(100'000, no_right);
  for (size_t i = 0; i < 5; ++i) bench.http.answer_ok(i, "a");
  bench.pass_ms(600'000);
  CHECK(bench.database.stored() == 0);
  CHECK(bench.worker->not_ready_because() == "the database refuses to store results");
  const int tries = bench.database.called("complete");
  bench.pass_ms(60'000);
  CHECK(bench.database.called("complete") - tries < 60);  // the pause has grown
  bench.database.complete_errors.clear();
  bench.pass_ms(6'000);
  REQUIRE(bench.database.stored() == 5);
  for (const auto& batch : bench.database.batches) {
    for (const EndedCall& ended : batch) CHECK(std::holds_alternative<Solved>(ended.outcome));
  }
  CHECK(bench.http.count() == 6);
  CHECK(bench.worker->not_ready_because().empty());
}

TEST_CASE("an outcome that is refused for ever is in nobody's way") {
  WorkerBench bench;
  for (int64_t id = 1; id <= 4; ++id) bench.database.queue.push_back(task_of(id));
  bench.database.damaged_tasks = {2};
  bench.start();
  bench.database.hold();
  for (size_t i = 0; i < 3; ++i) bench.http.answer_ok(i, "a");
  bench.database.release();
  bench.pass_ms(5'000);
  CHECK(bench.database.stored() == 2);
  bench.http.answer_ok(3, "a");
  bench.pass_ms(200);
  CHECK(bench.database.stored() == 3);
  bench.pass_ms(600'000);
  CHECK(bench.database.stored() == 3);
  bench.database.damaged_tasks.clear();
  bench.pass_ms(6'000);
  REQUIRE(bench.database.stored() == 4);
  CHECK(std::holds_alternative<Solved>(bench.database.batches.back().front().outcome));
}

}  // namespace sluice
