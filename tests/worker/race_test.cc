#include "worker/race.h"

#include <doctest/doctest.h>

#include "bounds.h"
#include "support/fake_http.h"
#include "support/manual_clock.h"

namespace sluice {
namespace {

constexpr int64_t hedge_after_ms = 100;

// One race on fakes; what the database would say of an extra call, the test says.
struct Bench {
  Bench() {
    Model made;
    made.name = made.upstream_name = "m";
    made.api = "solve";
    made.url = "http://backend";
    made.hedge_after_ms = hedge_after_ms;
    made.hedge_max = 2;
    model = std::make_shared<const Model>(made);
    call.task.key = TaskKey{7, 1};
    call.task.model = "m";
    call.task.has_body = true;
    call.task.question.prompt = "p";
    call.task.timeout_ms = 10'000;
  }
  ~Bench() { call.abort_all(); }

  void begin() { spawn(run()); }
  Co<void> run() {
    Race race(Calling{clock, http, secrets, limit_news}, model, call, [this] {
      ++asked;
      return is_asking_allowed;
    });
    answer = co_await race.run();
  }
  void pass_ms(int64_t ms) { clock.advance(ms * ns_per_ms); }
  void say(bool is_granted) {
    call.hedge.is_asked = false;
    call.hedge.is_granted = is_granted;
    call.hedge.changed.raise();
  }
  void fail(size_t i) { http.answer(i, http_failure(HttpFailure::Kind::unanswered, "reset")); }
  void refuse_connection(size_t i) {
    http.answer(i, http_failure(HttpFailure::Kind::not_sent, "nobody listens"));
  }
  std::string text() const { return *std::get<Solved>(answer.value().outcome).answer; }

  ManualClock clock;
  FakeHttp http;
  Secrets secrets{{}};
  LimitNews limit_news{clock};
  SharedModel model;
  Call call;
  int asked = 0;
  bool is_asking_allowed = true;
  std::optional<Answer> answer;
};

}  // namespace

TEST_CASE("a race asks for an extra call once hedge_after has passed, and waits for the word") {
  Bench bench;
  bench.begin();
  bench.pass_ms(hedge_after_ms - 1);
  CHECK(bench.asked == 0);
  bench.pass_ms(1);
  CHECK(bench.asked == 1);
  bench.pass_ms(10 * hedge_after_ms);
  CHECK(bench.asked == 1);
  CHECK(bench.http.count() == 1);
  bench.say(true);
  CHECK(bench.http.count() == 2);
}

TEST_CASE("the first answer wins, and the other call is aborted") {
  Bench bench;
  bench.begin();
  bench.pass_ms(hedge_after_ms);
  bench.say(true);
  REQUIRE(bench.http.count() == 2);
  bench.http.answer_ok(1, "from the extra one");
  REQUIRE(bench.answer);
  CHECK(bench.text() == "from the extra one");
  CHECK(bench.call.abort.aborted());
}

TEST_CASE("what fails while another call is under way is passed over") {
  Bench bench;
  bench.begin();
  bench.pass_ms(hedge_after_ms);
  bench.say(true);
  REQUIRE(bench.http.count() == 2);
  bench.fail(0);
  CHECK_FALSE(bench.answer);
  bench.http.answer_ok(1, "late");
  REQUIRE(bench.answer);
  CHECK(bench.text() == "late");
}

TEST_CASE("when all calls fail the one of which most is known counts") {
  Bench bench;
  bench.begin();
  bench.pass_ms(hedge_after_ms);
  bench.say(true);
  REQUIRE(bench.http.count() == 2);
  bench.fail(1);
  bench.refuse_connection(0);
  REQUIRE(bench.answer);
  CHECK(std::holds_alternative<Retry>(bench.answer->outcome));
}

TEST_CASE("an extra call that may not be asked for now is asked for again a little later") {
  Bench bench;
  bench.is_asking_allowed = false;
  bench.begin();
  bench.pass_ms(hedge_after_ms);
  CHECK(bench.asked == 1);
  bench.pass_ms(bounds::hedge_again_ms - 1);
  CHECK(bench.asked == 1);
  bench.pass_ms(1);
  CHECK(bench.asked == 2);
}

TEST_CASE("a race has at most hedge_max extra calls, one each time that hedge_after passes") {
  Bench bench;
  bench.begin();
  for (const int extra : {1, 2}) {
    bench.pass_ms(hedge_after_ms);
    CHECK(bench.asked == extra);
    bench.say(true);
    CHECK(bench.http.count() == static_cast<size_t>(extra) + 1);
  }
  bench.pass_ms(10 * hedge_after_ms);
  CHECK(bench.asked == 2);
}

TEST_CASE("an aborted race asks for nothing more and ends when its calls have ended") {
  Bench bench;
  bench.begin();
  bench.call.abort_all();
  REQUIRE(bench.answer);
  CHECK(std::holds_alternative<Returned>(bench.answer->outcome));
  CHECK(bench.asked == 0);
}

}  // namespace sluice
