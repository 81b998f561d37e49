#include "worker/claimer.h"

#include <doctest/doctest.h>

namespace sluice {

namespace {

Claimer serving() {
  Model model;
  model.name = "m";
  Claimer claimer;
  claimer.serve({model});
  return claimer;
}

}  // namespace

TEST_CASE("claims go on while they come back full") {
  Claimer claimer = serving();
  CHECK(claimer.wanted(50) == 50);
  claimer.note_claimed(50, {{"m", 50}});
  CHECK(claimer.wanted(50) == 50);
  CHECK(claimer.wanted(0) == 0);
  CHECK(claimer.wanted(5000) == 1000);
}

TEST_CASE("after an empty claim those whose time has come are looked for before sleeping") {
  Claimer claimer = serving();
  CHECK_FALSE(claimer.wakes_later());
  claimer.note_claimed(50, {});
  CHECK_FALSE(claimer.is_idle());
  CHECK(claimer.wakes_later());
  claimer.note_woken();
  claimer.note_claimed(50, {});
  CHECK(claimer.is_idle());
  CHECK(claimer.wanted(50) == 0);
  claimer.wake();
  CHECK(claimer.wanted(50) == 50);
}

TEST_CASE("a worker that is never idle looks for them now and then") {
  Claimer claimer = serving();
  for (int claim = 0; claim < 16; ++claim) {
    CHECK_FALSE(claimer.wakes_later());
    claimer.note_claimed(50, {{"m", 50}});
  }
  CHECK(claimer.wakes_later());
  claimer.note_woken();
  CHECK_FALSE(claimer.wakes_later());
}

TEST_CASE("after a short claim the sleeper's look decides") {
  Claimer claimer = serving();
  claimer.note_claimed(50, {{"m", 3}});
  CHECK(claimer.is_idle());
}

TEST_CASE("a model that wakes a worker twice is named once") {
  Claimer claimer = serving();
  claimer.note_claimed(50, {{"m", 3}});
  claimer.wake(0);
  claimer.wake(0);
  CHECK(claimer.models() == std::vector<std::string>{"m"});
}

TEST_CASE("a worker woken for one model claims for that one") {
  Model first;
  first.name = "first";
  first.id = 1;
  Model second;
  second.name = "second";
  second.id = 2;
  Claimer claimer;
  claimer.serve({first, second});
  claimer.wake(2);
  CHECK(claimer.models().empty());  // it claims for all already
  claimer.note_claimed(50, {{"first", 1}});
  claimer.wake(3);  // not served here
  CHECK(claimer.is_idle());
  claimer.wake(2);
  CHECK(claimer.models() == std::vector<std::string>{"second"});
  claimer.wake(1);
  CHECK(claimer.models() == std::vector<std::string>{"second", "first"});
  claimer.note_claimed(50, {});
  claimer.wake();
  CHECK(claimer.models().empty());
}

TEST_CASE("a worker without models wants nothing") {
  Claimer claimer;
  claimer.wake();
  CHECK(claimer.wanted(10) == 0);
}

}  // namespace sluice
