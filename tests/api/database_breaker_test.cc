#include "api/database_breaker.h"

#include <doctest/doctest.h>

#include <vector>

#include "support/manual_clock.h"

namespace sluice {
namespace {

using State = DatabaseBreaker::State;

struct Fixture {
  ManualClock clock;
  DatabaseBreaker breaker{clock, {3, 1'000, 2}};

  // Sends a statement and says how it ended; false: it was not let through.
  bool send(bool fails) {
    auto pass = breaker.admit();
    if (!pass) return false;
    pass->note(fails);
    return true;
  }
  void open() {
    for (int i = 0; i < 3; ++i) send(true);
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "failures in a row open it; a success between them does not count") {
  for (const bool fails : {true, true, false, true, true}) CHECK(send(fails));
  CHECK(breaker.state() == State::closed);
  CHECK(send(true));
  CHECK(breaker.state() == State::open);
  CHECK(breaker.open_for_ms() == 1'000);
  CHECK_FALSE(send(false));
}

TEST_CASE_FIXTURE(Fixture, "connections that cannot be had open it, and the first one closes it") {
  for (int i = 0; i < 3; ++i) breaker.note_connection(true);
  CHECK(breaker.state() == State::open);
  clock.advance(ns_per_s);
  CHECK(breaker.state() == State::half_open);
  breaker.note_connection(true);
  CHECK(breaker.state() == State::open);
  breaker.note_connection(false);
  CHECK(breaker.state() == State::closed);
}

TEST_CASE_FIXTURE(Fixture, "a connection closes nothing that statements have opened") {
  open();
  breaker.note_connection(false);
  CHECK(breaker.state() == State::open);
  clock.advance(900 * ns_per_ms);
  breaker.note_connection(true);
  CHECK(breaker.open_for_ms() == 1'000);
  breaker.note_connection(false);  // it is back: statements find out at once
  CHECK(breaker.state() == State::half_open);
}

TEST_CASE_FIXTURE(Fixture, "half open it lets one through at a time, and successes close it") {
  open();
  clock.advance(999 * ns_per_ms);
  CHECK_FALSE(breaker.admit());
  clock.advance(ns_per_ms);
  CHECK(breaker.state() == State::half_open);
  auto probe = breaker.admit();
  REQUIRE(probe);
  CHECK_FALSE(breaker.admit());
  probe->note(false);
  CHECK(breaker.state() == State::half_open);
  CHECK(send(false));
  CHECK(breaker.state() == State::closed);
}

TEST_CASE_FIXTURE(Fixture, "a probe that fails opens it anew") {
  open();
  clock.advance(ns_per_s);
  CHECK(send(false));
  CHECK(send(true));
  CHECK(breaker.state() == State::open);
  CHECK(breaker.open_for_ms() == 1'000);
}

TEST_CASE_FIXTURE(Fixture, "a probe whose client has left frees its place") {
  open();
  clock.advance(ns_per_s);
  breaker.admit();
  CHECK(send(false));
}

TEST_CASE_FIXTURE(Fixture, "what was sent before it opened says nothing afterwards") {
  std::vector<DatabaseBreaker::Pass> early;
  for (int i = 0; i < 3; ++i) early.push_back(*breaker.admit());
  open();
  early[0].note(true);
  clock.advance(ns_per_s);
  auto probe = breaker.admit();
  early[1].note(true);
  CHECK(breaker.state() == State::half_open);
  CHECK_FALSE(breaker.admit());
  early[2].note(false);
  probe->note(false);
  CHECK(breaker.state() == State::half_open);
}

}  // namespace sluice
