#include "worker/sleep.h"

#include <doctest/doctest.h>

#include "runtime/clock.h"

namespace sluice {

namespace {

constexpr int64_t s = ns_per_s;

}  // namespace

TEST_CASE("sleep: who has had nothing to do for a minute is tired, and once only") {
  Sleep sleep;
  sleep.note_busy(5 * s);
  CHECK_FALSE(sleep.is_tired(64 * s));
  CHECK(sleep.is_tired(65 * s));
  sleep.ask();
  CHECK_FALSE(sleep.is_tired(65 * s));
  CHECK_FALSE(sleep.is_awake());
  CHECK_FALSE(sleep.is_asleep());
}

TEST_CASE("sleep: a shorter look is a shorter patience") {
  Sleep sleep;
  sleep.set_idle_look_ms(2'000);
  CHECK_FALSE(sleep.is_tired(2 * s - 1));
  CHECK(sleep.is_tired(2 * s));
}

TEST_CASE("sleep: it looks up for the alarm or to ask again, whichever is earlier") {
  Sleep sleep;
  sleep.set_idle_look_ms(100'000);
  sleep.ask();
  sleep.grant(0, 30'000);
  REQUIRE(sleep.is_asleep());
  CHECK(sleep.look_up_at_ns() == 30 * s);
  CHECK_FALSE(sleep.has_alarm(30 * s - 1));
  CHECK(sleep.has_alarm(30 * s));
  sleep.grant(0, 300'000);
  CHECK(sleep.look_up_at_ns() == 100 * s);
  CHECK_FALSE(sleep.take_look(100 * s - 1));
  CHECK(sleep.take_look(100 * s));
  CHECK_FALSE(sleep.take_look(101 * s));  // the answer is on its way
  CHECK(sleep.look_up_at_ns() == 300 * s);
  sleep.grant(101 * s, 300'000);
  CHECK(sleep.look_up_at_ns() == 201 * s);
}

TEST_CASE("sleep: news end it, also while the answer is on its way") {
  Sleep sleep;
  CHECK_FALSE(sleep.end(1 * s));
  CHECK_FALSE(sleep.is_tired(60 * s));
  sleep.ask();
  CHECK(sleep.end(70 * s));
  CHECK(sleep.is_awake());
  CHECK_FALSE(sleep.is_tired(129 * s));
  CHECK(sleep.is_tired(130 * s));
}

}  // namespace sluice
