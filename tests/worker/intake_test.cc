#include "worker/intake.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "bounds.h"
#include "support/worker_bench.h"

namespace sluice {

namespace {

// The one call that the model may have is answered; its completion, in the session beside, and all
// that comes after are held.
void begin_storing_the_only_call(WorkerBench& bench) {
  bench.database.apart = true;
  bench.database.served.models[0].max_in_flight = 1;
  bench.database.queue.push_back(task_of(1));
  bench.start();
  REQUIRE(bench.http.count() == 1);
  bench.database.hold();
  bench.http.answer_ok(0, "a");
  REQUIRE(bench.database.called("complete") == 1);
}

}  // namespace

TEST_CASE("a worker never asks for more than its free slots") {
  WorkerBench bench(3);
  for (int64_t id = 1; id <= 10; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  CHECK(bench.http.count() == 3);
  for (int asked : bench.database.claims) CHECK(asked <= 3);
  bench.http.answer_ok(0, "a");
  CHECK(bench.http.count() == 4);
  CHECK(bench.database.claims.back() == 1);
}

TEST_CASE("after a claim that failed, models do not share errors for some seconds") {
  WorkerBench bench;
  bench.add_model("n");
  bench.start();
  const auto claim = [&](int64_t pause_ms) {
    bench.database.claims_apart.clear();
    bench.database.notify();
    bench.pass_ms(pause_ms);
    REQUIRE(!bench.database.claims_apart.empty());
    return std::vector<bool>(bench.database.claims_apart);
  };
  CHECK(claim(1).front() == false);
  Error error{Error::Action::bug, "XX002", "could not read a block"};
  bool is_apart = true;
  SUBCASE("the database has refused it") {}
  SUBCASE("its session was lost: that is no model's error") {
    error = Error{Error::Action::reconnect, "", "lost"};
    is_apart = false;
  }
  bench.database.claim_errors.push_back(error);
  const std::vector<bool> after = claim(1'000);
  CHECK(after.front() == false);
  CHECK(after.back() == is_apart);
  bench.pass_ms(bounds::claims_apart_ms);
  CHECK(claim(1).front() == false);
}

TEST_CASE("a worker without a free slot does not go through its models") {
  WorkerBench bench(1);
  std::vector<Model>& models = bench.database.served.models;
  const Model model = models.front();
  for (int i = 0; i < 20'000; ++i) {
    models.push_back(model);
    models.back().name = "a model with a long enough name, number " + std::to_string(i);
  }
  for (int64_t id = 1; id <= 2; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 1);
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 1'000; ++i) bench.database.on_abort(101);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
}

TEST_CASE("a model that was full beside the completion is claimed for again") {
  WorkerBench bench;
  begin_storing_the_only_call(bench);
  bench.database.queue.push_back(task_of(2));  // as if the claim had been before it
  bench.database.release();
  CHECK(bench.http.count() == 2);
}

TEST_CASE("a claim that is still to say that a model was full does not outlast the completion") {
  WorkerBench bench;
  bench.database.looks_in_time = false;
  begin_storing_the_only_call(bench);
  bench.database.release("wake");
  bench.database.release("claim");  // it was empty, and the last look is under way
  REQUIRE(bench.database.called("claim") == 3);
  bench.database.queue.push_back(task_of(2));  // that was before the completion
  bench.database.release();
  CHECK(bench.http.count() == 2);
}

TEST_CASE("a stored outcome has its own model claimed for, if that is one that may be full") {
  WorkerBench bench(10);
  bench.database.apart = true;
  bench.add_model("other");
  std::vector<Model>& models = bench.database.served.models;
  SUBCASE("it is") {
    models[0].max_in_flight = 5;
  }
  SUBCASE("another one is") {
    models[1].max_in_flight = 5;
  }
  const bool may_be_full = models[0].max_in_flight.has_value();
  bench.database.queue.push_back(task_of(1));
  bench.start();
  REQUIRE(bench.http.count() == 1);
  bench.pass_ms(1000);
  const int claims = bench.database.called("claim");
  bench.http.answer_ok(0, "a");
  CHECK((bench.database.called("claim") > claims) == may_be_full);
}

TEST_CASE("a model that was held back is claimed for again when a call has ended") {
  WorkerBench bench(10);
  bench.database.served.models[0].max_in_flight = 2;
  for (int64_t id = 1; id <= 4; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  CHECK(bench.http.count() == 2);
  bench.http.answer_ok(0, "a");
  CHECK(bench.http.count() == 3);
  bench.http.answer_ok(1, "a");
  CHECK(bench.http.count() == 4);
}

TEST_CASE("a backend that refuses has half as many calls") {
  WorkerBench bench(8);
  for (int64_t id = 1; id <= 20; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 8);
  HttpResponse refusal;
  refusal.status = 429;
  for (size_t i = 0; i < 4; ++i) bench.http.answer(i, refusal);
  CHECK(bench.http.count() == 8);  // four are under way, which is the limit now
  bench.http.answer_ok(4, "a");
  CHECK(bench.http.count() == 9);
}

TEST_CASE("an urgent task waits for nobody's answer when all slots are taken") {
  WorkerBench bench(2);
  for (int64_t id = 1; id <= 3; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 2);
  bench.database.queue.push_front(urgent_task_of(7));
  bench.database.queue.push_front(urgent_task_of(8));
  bench.pass_ms(25);
  REQUIRE(bench.http.count() == 3);  // one slot for them beside its two
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 3);
  bench.http.answer_ok(2, "a");
  bench.pass_ms(25);
  CHECK(bench.http.count() == 4);
  bench.http.answer_ok(3, "b");
  bench.http.answer_ok(0, "c");
  CHECK(bench.http.count() == 5);  // the third
}

TEST_CASE("nobody looks for urgent tasks while a claim for all would take them") {
  WorkerBench bench(2);
  bench.database.queue.push_back(task_of(1));
  bench.start();
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 1);
  CHECK(bench.database.called("claim_urgent") == 0);
}

TEST_CASE("an urgent task of a model that has its part of the slots is taken all the same") {
  WorkerBench bench(10);
  bench.add_model("other");
  bench.database.served.models[0].max_in_flight = 4;
  for (int64_t id = 1; id <= 20; ++id) {
    bench.database.queue.push_back(task_of(id));
    bench.database.queue.back().model = "other";
  }
  bench.start();
  const size_t before = bench.http.count();
  CHECK(before >= 9);  // a slot may be kept for the model without calls
  bench.database.queue.push_back(urgent_task_of(30));
  bench.database.queue.back().model = "other";
  bench.pass_ms(25);
  CHECK(bench.http.count() == before + 1);
}

TEST_CASE("a model that has all the slots it may have keeps nobody from the slots of others") {
  WorkerBench bench(16);
  bench.add_model("other");
  for (int64_t id = 1; id <= 40; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  bench.pass_ms(1000);
  const size_t before = bench.http.count();
  REQUIRE(before < 16);      // some are kept for the other
  bench.database.notify(1);  // one more of its tasks is there
  bench.database.queue.push_back(task_of(50));
  bench.database.queue.back().model = "other";  // nobody tells of it: we are awake
  bench.pass_ms(2 * bounds::look_again_ms_max);
  CHECK(bench.http.count() == before + 1);
}

TEST_CASE("a backend that refuses has no urgent calls beyond its limit") {
  WorkerBench bench(8);
  for (int64_t id = 1; id <= 8; ++id) bench.database.queue.push_back(task_of(id));
  bench.start();
  REQUIRE(bench.http.count() == 8);
  HttpResponse refusal;
  refusal.status = 429;
  bench.http.answer(0, refusal);
  bench.database.queue.push_back(urgent_task_of(20));
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 8);
  for (size_t i = 1; i < 5; ++i) bench.http.answer_ok(i, "a");  // three are under way, of four
  CHECK(bench.http.count() == 9);
}

TEST_CASE("urgent tasks of one model leave the slots that are kept for the others") {
  WorkerBench bench(40);
  bench.add_model("other").url = "http://other";
  for (int64_t id = 1; id <= 120; ++id) bench.database.queue.push_back(urgent_task_of(id));
  bench.start();
  bench.pass_ms(1000);
  CHECK(bench.http.count() == 39);  // but two, and one that urgent tasks have beside
  bench.database.queue.push_back(task_of(200));
  bench.database.queue.back().model = "other";
  bench.database.notify(2);
  bench.pass_ms(100);
  CHECK(bench.http.count() == 40);
}

}  // namespace sluice
