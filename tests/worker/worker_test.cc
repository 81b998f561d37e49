#include "worker/worker.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bounds.h"
#include "support/body_text.h"
#include "support/worker_bench.h"

namespace sluice {

TEST_CASE("a claimed task is sent to its model and its answer is stored") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(7));
  bench.start();
  REQUIRE(bench.http.count() == 1);
  CHECK(bench.http.request(0).url == "http://backend/solve");
  CHECK(text_of(bench.http.request(0).body) == R"({"model":"m","prompt":"prompt 7"})");
  const auto& headers = bench.http.request(0).headers;
  CHECK(std::find(headers.begin(), headers.end(), "Sluice-Task: 7:1") != headers.end());
  bench.http.answer_ok(0, "seven");
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::get<Solved>(bench.outcome(0, 0)).answer == "seven");
}

TEST_CASE("draining claims nothing more, waits for the calls under way and then leaves") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.worker->drain();
  bench.database.queue.push_back(task_of(2));
  bench.database.notify();
  CHECK(bench.http.count() == 1);
  CHECK_FALSE(bench.ended);
  bench.http.answer_ok(0, "a");
  CHECK(bench.ended);
  CHECK(bench.database.stored() == 1);
  CHECK(bench.database.log.back() == "unregister");
}

TEST_CASE("a drain that takes too long hands the calls back") {
  WorkerBench bench;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.worker->drain();
  bench.pass_ms(31'000);
  CHECK(bench.ended);
  REQUIRE(bench.database.stored() == 1);
  CHECK(std::holds_alternative<Returned>(bench.outcome(0, 0)));
}

TEST_CASE("--once ends when nothing is unfinished, and not before") {
  WorkerBench bench(10, true);
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.http.answer_ok(0, "a");
  bench.pass_ms(3000);
  CHECK_FALSE(bench.ended);  // a retry may be waiting for its time
  bench.database.has_unfinished = false;
  bench.pass_ms(3000);
  CHECK(bench.ended);
}

TEST_CASE(
    "an idle worker wakes what is due once, then becomes the watcher, takes locks, and sleeps") {
  WorkerBench bench;
  bench.start();
  CHECK(bench.database.called("wake") >= 1);
  CHECK(bench.database.watched);
  CHECK(bench.database.called("take_sleeper_locks") == 1);
  const int claims = bench.database.called("claim");
  bench.pass_ms(500);
  CHECK(bench.database.called("claim") == claims);
}

TEST_CASE("a sleeping worker claims when it is notified, without looking first") {
  WorkerBench bench;
  bench.start();
  bench.pass_ms(100);
  const int looks = bench.database.called("take_sleeper_locks");
  bench.database.queue.push_back(task_of(1));
  bench.database.notify();
  CHECK(bench.http.count() == 1);
  CHECK(bench.database.called("take_sleeper_locks") == looks);
  bench.pass_ms(bounds::look_after_claims_ms);
  CHECK(bench.database.called("take_sleeper_locks") == looks + 1);  // falling asleep again
}

TEST_CASE("between a notification that ends a pause and the call there is the claim alone") {
  WorkerBench bench;
  bench.database.sleep_check.locks = {1, 65};
  bench.start();
  bench.pass_ms(100);
  bench.database.log.clear();
  bench.database.queue.push_back(task_of(1));
  bench.database.notify();
  CHECK(bench.http.count() == 1);
  CHECK(bench.database.log == std::vector<std::string>{"claim"});
  bench.database.queue.push_back(task_of(2));
  bench.database.notify();  // heard, for the locks are still held
  CHECK(bench.http.count() == 2);
}

TEST_CASE(
    "while tasks come all the time, and with a second claim in a row, the locks are dropped") {
  WorkerBench bench(2);
  bench.database.sleep_check.locks = {1, 65};
  bench.start();
  bench.pass_ms(100);
  bench.database.log.clear();
  SUBCASE("all the time") {
    bench.database.notify();
    bench.pass_ms(bounds::busy_gap_ms - 1);
    CHECK(bench.database.called("drop_sleeper_locks") == 0);
    bench.database.notify();
  }
  SUBCASE("a second claim") {
    bench.database.hold();
    bench.database.notify();
    CHECK(bench.database.called("drop_sleeper_locks") == 0);
    bench.database.release("claim");  // nothing there: once more, with what is due later
  }
  CHECK(bench.database.called("drop_sleeper_locks") == 1);
}

TEST_CASE("a claim that may have ended early is followed by another one, without a look") {
  WorkerBench bench(2);
  bench.add_model("other");
  bench.start();
  bench.pass_ms(100);
  bench.database.queue.push_back(task_of(1));
  bench.database.log.clear();
  bench.database.hold();
  bench.database.notify();
  bool has_more = false;
  SUBCASE("it took as long as a claim goes on") {
    has_more = true;
  }
  SUBCASE("it did not") {}
  bench.pass_ms(bounds::claim_long_ms - (has_more ? 0 : 1));
  bench.database.release("claim");
  CHECK((bench.database.called("claim") > 1) == has_more);
  CHECK(bench.database.called("take_sleeper_locks") == 0);
}

TEST_CASE("a worker that is not the watcher does not claim when it is notified") {
  WorkerBench bench;
  bench.database.watch_is_free = false;
  bench.start();
  const int claims = bench.database.called("claim");
  bench.database.notify();
  CHECK(bench.database.called("claim") == claims);
  CHECK(bench.database.called("become_watcher") >= 2);
}

TEST_CASE("a worker that is not the watcher looks once a second, in case the watcher is frozen") {
  WorkerBench bench;
  bench.database.watch_is_free = false;
  bench.start();
  bench.database.queue.push_back(task_of(1));
  for (int i = 0; i < 12; ++i) {
    bench.database.notify();
    bench.pass_ms(100);
  }
  CHECK(bench.http.count() == 1);
}

TEST_CASE("a worker with no slot free resigns as watcher and says whether work remains") {
  WorkerBench bench(1);
  bench.start();
  CHECK(bench.database.watched);
  bench.database.queue.push_back(task_of(1));
  bench.database.queue.push_back(task_of(2));
  bench.database.notify();
  CHECK_FALSE(bench.database.watched);
  CHECK(bench.database.called("resign_watcher and notify") == 1);
}

TEST_CASE("while a lock is missing the sleeper looks again at growing intervals, and soon") {
  WorkerBench bench;
  bench.database.sleep_check.complete = false;
  bench.start();
  bench.pass_ms(100);
  const int early = bench.database.called("take_sleeper_locks");
  CHECK(early >= 5);
  bench.pass_ms(1000);
  const int late = bench.database.called("take_sleeper_locks") - early;
  CHECK(late >= 50);
  CHECK(late <= 70);
  bench.database.queue.push_back(task_of(1));  // committed without a notification
  bench.pass_ms(bounds::look_again_ms_locked);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("the sleeper wakes when the next permit comes") {
  WorkerBench bench;
  bench.database.sleep_check.wake_in_ms = 40;
  bench.start();
  const int claims = bench.database.called("claim");
  bench.pass_ms(39);
  CHECK(bench.database.called("claim") == claims);
  bench.pass_ms(2);
  CHECK(bench.database.called("claim") > claims);
}

TEST_CASE("without a listening session the worker polls") {
  WorkerBench bench;
  bench.start();
  bench.database.reachable = false;
  bench.database.lose();
  bench.database.reachable = true;
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(3000);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("a listening session that does not answer makes the worker poll, and not ready") {
  WorkerBench bench;
  bench.start();
  CHECK(bench.worker->not_ready_because().empty());
  bench.database.mute = true;
  bench.database.sleep_check.complete = false;  // nor does it sleep with locks
  CHECK(bench.worker->not_ready_because() == "no wake-ups: polling until they are back");
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(1001);
  CHECK(bench.http.count() == 1);
  bench.database.mute = false;
  CHECK(bench.worker->not_ready_because().empty());
}

TEST_CASE("a worker whose session may be dumb is not ready") {
  WorkerBench bench;
  bench.start();
  bench.database.doubtful = true;
  CHECK(bench.worker->not_ready_because() == "the database does not answer");
}

TEST_CASE("behind a pooler the worker is ready, looks and reads the models once a second") {
  WorkerBench bench;
  bench.database.pooled = true;
  bench.start();
  CHECK(bench.worker->not_ready_because().empty());
  const int configurations = bench.database.called("configuration");
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(1001);
  CHECK(bench.http.count() == 1);
  CHECK(bench.database.called("configuration") == configurations + 1);
}

TEST_CASE("asleep is asleep: a worker without work for a minute says nothing until it looks") {
  WorkerBench bench;
  bench.database.rest.asleep = true;
  bench.database.served.idle_look_ms = 3'600'000;
  bench.start();
  bench.pass_ms(59'000);
  CHECK(bench.database.called("fall_asleep") == 0);
  bench.pass_ms(2'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  const size_t calls = bench.database.log.size();
  bench.pass_ms(3'590'000);
  CHECK(bench.database.log.size() == calls);
  bench.pass_ms(20'000);
  CHECK(bench.database.called("fall_asleep") == 2);
  bench.pass_ms(3'500'000);
  CHECK(bench.database.log.size() - calls <= 2);  // the look, and a round of retention
}

TEST_CASE("a notification rouses a sleeper, which claims at once, and beats in the same flush") {
  WorkerBench bench;
  bench.database.rest.asleep = true;
  bench.start();
  bench.pass_ms(61'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.log.clear();
  bench.database.queue.push_back(task_of(1));
  bench.database.notify();
  bench.pass_ms(0);
  CHECK(bench.http.count() == 1);
  const std::vector<std::string> first(bench.database.log.begin(), bench.database.log.begin() + 2);
  CHECK(first == std::vector<std::string>{"claim", "heartbeat"});
  bench.pass_ms(12'000);
  CHECK(bench.database.called("heartbeat") >= 3);
}

TEST_CASE("a sleeper keeps the timer of what is due") {
  WorkerBench bench;
  bench.database.rest.asleep = true;
  bench.database.rest.wake_in_ms = 20'000;
  bench.database.served.idle_look_ms = 3'600'000;
  bench.start();
  bench.pass_ms(61'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.queue.push_back(task_of(1));
  bench.pass_ms(18'000);
  CHECK(bench.http.count() == 0);
  bench.pass_ms(3'000);
  CHECK(bench.http.count() == 1);
}

TEST_CASE("a worker that may not sleep beats, and asks again a minute later") {
  WorkerBench bench;
  bench.start();
  bench.pass_ms(61'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.log.clear();
  bench.pass_ms(50'000);
  CHECK(bench.database.called("heartbeat") >= 9);
  CHECK(bench.database.called("fall_asleep") == 0);
  bench.pass_ms(15'000);
  CHECK(bench.database.called("fall_asleep") == 1);
}

TEST_CASE("news that come while a worker asks for sleep keep it awake") {
  WorkerBench bench;
  bench.database.rest.asleep = true;
  bench.start();
  bench.pass_ms(59'500);
  bench.database.hold();
  bench.pass_ms(2'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.notify();
  bench.database.log.clear();
  bench.database.release();
  bench.pass_ms(11'000);
  CHECK(bench.database.called("heartbeat") >= 2);
}

TEST_CASE("a sleeper that loses the database connects again, and beats") {
  WorkerBench bench;
  bench.database.rest.asleep = true;
  bench.start();
  bench.pass_ms(61'000);
  REQUIRE(bench.database.called("fall_asleep") == 1);
  bench.database.log.clear();
  bench.database.lose();
  bench.pass_ms(2'000);
  CHECK(bench.database.called("connect") >= 1);
  CHECK(bench.database.called("heartbeat") >= 1);
}

TEST_CASE("nobody sleeps who polls, or has a call under way") {
  WorkerBench bench;
  bench.database.rest.asleep = true;
  SUBCASE("a pooler is in between") {
    bench.database.pooled = true;
  }
  SUBCASE("a call takes long") {
    bench.database.queue.push_back(task_of(1));
  }
  bench.start();
  bench.pass_ms(200'000);
  CHECK(bench.database.called("fall_asleep") == 0);
}

}  // namespace sluice
