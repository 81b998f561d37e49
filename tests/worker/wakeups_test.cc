#include "worker/wakeups.h"

#include <doctest/doctest.h>

#include "bounds.h"
#include "support/fake_database.h"
#include "support/log_lines.h"
#include "support/manual_clock.h"

namespace sluice {
namespace {

using Demand = Wakeups::Demand;

struct FakeOwner final : Wakeups::Owner {
  Demand demand() const override { return now; }
  int64_t worker_id() const override { return 101; }
  bool work_remains() const override { return remains; }
  bool is_asleep() const override { return asleep; }
  void wake() override { ++woken; }
  void wake(int64_t model) override {
    woken_for.push_back(model);
    if (claims) now = Demand::claiming;
  }
  void catch_up() override { ++caught_up; }

  Demand now = Demand::idle;
  bool remains = false;
  bool asleep = false;
  bool claims = false;  // when it is woken
  int woken = 0;
  std::vector<int64_t> woken_for;
  int caught_up = 0;
};

// An owner that wants to sleep, on fakes.
struct Bench {
  Bench() {
    database.on_work = [this](int64_t model) { wakeups.note_work(model); };
    database.on_lost = [this] { wakeups.note_change(); };
    database.sleep_check.complete = true;
  }
  ~Bench() { wakeups.stop(); }

  void begin() { spawn(wakeups.run()); }
  void pass_ms(int64_t ms) { clock.advance(ms * ns_per_ms); }
  void become(Demand demand) {
    owner.now = demand;
    wakeups.note_demand();
  }
  // A notification, and what the claim that it causes brings.
  void notify_and_claim(size_t tasks) {
    owner.claims = true;
    database.notify(3);
    become(Demand::idle);
    wakeups.note_claimed(tasks);
  }

  ManualClock clock;
  FakeDatabase database;
  FakeOwner owner;
  Wakeups wakeups{clock, database, owner};
};

}  // namespace

TEST_CASE(
    "an idle worker becomes the watcher, takes the sleeper locks, and sleeps until it is told") {
  Bench bench;
  bench.begin();
  CHECK(bench.owner.caught_up == 1);  // what came before it listened
  CHECK(bench.database.watched);
  CHECK(bench.database.called("take_sleeper_locks") == 1);
  CHECK(bench.owner.woken == 0);
  bench.database.notify(3);
  CHECK(bench.owner.woken == 0);
  CHECK(bench.owner.woken_for == std::vector<int64_t>{3});
}

TEST_CASE("a look that a model's deletion ends is no warning, unless the next one ends so too") {
  const Error error{Error::Action::bug, "XX000", "could not open relation with OID 9"};
  const std::string said = ": cannot look for work: " + error.message + '\n';
  LogLines lines;
  Bench bench;
  bench.database.look_errors = {error, error};
  bench.begin();
  CHECK(lines.take() == "info" + said);
  bench.pass_ms(bounds::look_interval_ms + 1);
  CHECK(lines.take() == "warning" + said);
  bench.pass_ms(bounds::look_interval_ms + 1);
  CHECK(lines.take().empty());
}

TEST_CASE("a demand that nobody noted does not keep the watcher waiting when it is gone") {
  Bench bench;
  bench.begin();
  bench.owner.now = Demand::claiming;
  bench.database.notify(3);  // it looks up, and steps aside
  bench.pass_ms(bounds::keep_locks_ms + 1);
  CHECK(bench.database.called("take_sleeper_locks") == 1);
  bench.become(Demand::idle);
  bench.pass_ms(bounds::look_after_claim_ms + 1);
  CHECK(bench.database.called("take_sleeper_locks") == 2);
}

TEST_CASE("work that a look sees wakes its owner for all models") {
  Bench bench;
  bench.database.sleep_check.work = true;
  bench.begin();
  CHECK(bench.owner.woken == 1);
  CHECK(bench.owner.woken_for.empty());
}

TEST_CASE("notifications of other models do not keep its owner from work that a look sees") {
  Bench bench;
  bench.begin();
  bench.database.sleep_check.work = true;
  for (int64_t n = 0; n < 20; ++n) {
    bench.database.notify(1000 + n);
  }
  CHECK(bench.owner.woken >= 10);
}

TEST_CASE("what is notified of very many models is for all") {
  Bench bench;
  bench.begin();
  {
    const ReadyQueue::Batch at_once;
    for (size_t n = 1; n <= 2 * bounds::notified_models_max; ++n) {
      bench.database.notify(static_cast<int64_t>(n));
    }
  }
  CHECK(bench.owner.woken == 1);
  CHECK(bench.owner.woken_for.empty());
}

TEST_CASE("the next timer is kept by the watcher") {
  Bench bench;
  bench.database.sleep_check.wake_in_ms = 700;
  bench.begin();
  bench.pass_ms(699);
  CHECK(bench.owner.woken == 0);
  bench.pass_ms(1);
  CHECK(bench.owner.woken == 1);
}

TEST_CASE("where nothing waited, claims that notifications bring share a look") {
  Bench bench;
  bench.begin();
  SUBCASE("at the end of a time that begins with the first") {
    for (int64_t ms = 0; ms < bounds::look_after_claims_ms; ms += 10) {
      bench.notify_and_claim(1);
      CHECK(bench.database.called("take_sleeper_locks") == 1);
      bench.pass_ms(10);
    }
    CHECK(bench.owner.woken_for.size() == bounds::look_after_claims_ms / 10);
    CHECK(bench.database.called("drop_sleeper_locks") == 0);
  }
  SUBCASE("soon, if one of them has brought nothing") {
    bench.notify_and_claim(1);
    bench.pass_ms(10);
    bench.notify_and_claim(0);
    CHECK(bench.database.called("take_sleeper_locks") == 1);
    bench.pass_ms(bounds::look_after_claim_ms);
  }
  CHECK(bench.database.called("take_sleeper_locks") == 2);
}

TEST_CASE("claims that share a look do not put off a timer") {
  Bench bench;
  bench.database.sleep_check.wake_in_ms = 25;
  bench.begin();
  for (int passed_ms = 0; passed_ms < 20; passed_ms += 10) {
    bench.pass_ms(10);
    bench.notify_and_claim(1);
  }
  CHECK(bench.database.called("take_sleeper_locks") == 1);
  bench.pass_ms(5);
  CHECK(bench.database.called("take_sleeper_locks") == 2);
}

TEST_CASE(
    "while another one watches nobody is woken by a notification, but each looks once a second") {
  Bench bench;
  bench.database.watch_is_free = false;
  bench.begin();
  CHECK(bench.owner.woken == 1);  // the first look
  bench.database.notify(3);
  CHECK(bench.owner.woken_for.empty());
  bench.pass_ms(bounds::look_interval_ms - 1);
  CHECK(bench.owner.woken == 1);
  bench.pass_ms(1);
  CHECK(bench.owner.woken == 2);
  CHECK(bench.database.called("take_sleeper_locks") == 0);
}

TEST_CASE("who has no slot free resigns as watcher, and says whether work remains") {
  Bench bench;
  bench.begin();
  REQUIRE(bench.database.watched);
  bench.owner.remains = true;
  bench.become(Demand::full);
  CHECK_FALSE(bench.database.watched);
  CHECK(bench.database.called("resign_watcher and notify") == 1);
  CHECK(bench.database.called("drop_sleeper_locks") == 1);
}

TEST_CASE("asleep it looks for nothing, and any notification wakes") {
  Bench bench;
  bench.begin();
  bench.owner.asleep = true;
  bench.wakeups.note_change();
  bench.database.log.clear();
  bench.pass_ms(600'000);
  CHECK(bench.database.log.empty());
  bench.owner.asleep = false;
  bench.database.notify(5);
  CHECK(bench.owner.woken_for == std::vector<int64_t>{5});
}

TEST_CASE("while the session is gone its owner polls; when it is back it catches up") {
  Bench bench;
  bench.begin();
  bench.database.reachable = false;
  bench.database.lose();
  const int woken = bench.owner.woken;
  bench.pass_ms(10 * bounds::look_interval_ms);
  CHECK(bench.owner.woken >= woken + 10);
  CHECK(bench.owner.caught_up == 1);
  bench.database.reachable = true;
  bench.pass_ms(bounds::look_interval_ms);
  CHECK(bench.owner.caught_up == 2);
  CHECK(bench.database.watched);
}

TEST_CASE("at its end it lets go of locks and watcher's role") {
  Bench bench;
  bench.begin();
  bench.wakeups.stop();
  CHECK(bench.database.called("drop_sleeper_locks") == 1);
  CHECK(bench.database.called("resign_watcher and notify") == 1);
  CHECK_FALSE(bench.database.watched);
}

}  // namespace sluice
