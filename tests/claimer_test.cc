#include "worker/claimer.h"

#include <doctest/doctest.h>

#include "worker/completer.h"
#include "worker/pg_array.h"

namespace sluice {

namespace {

Claimer serving() {
  Model model;
  model.name = "m";
  Claimer claimer;
  claimer.serve({model});
  return claimer;
}

EndedCall ended_of(int64_t id, size_t bytes = 0) {
  Solved solved;
  solved.answer = std::string(bytes, 'x');
  return EndedCall{TaskKey{id, 1}, solved};
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
  CHECK_FALSE(claimer.is_sated());
  CHECK(claimer.wakes_later());
  claimer.note_woken();
  claimer.note_claimed(50, {});
  CHECK(claimer.is_sated());
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
  CHECK(claimer.is_sated());
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
  CHECK(claimer.is_sated());
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

TEST_CASE("a completion is bounded by rows and by bytes, and speaks for one worker id") {
  Completer completer;
  for (int64_t id = 0; id < 1500; ++id) completer.add(1, ended_of(id));
  completer.add(2, ended_of(9000));
  CHECK(completer.take().ended.size() == 1000);
  CHECK(completer.take().ended.size() == 500);
  CHECK(completer.take().worker == 2);
  for (int64_t id = 0; id < 3; ++id) completer.add(1, ended_of(id, size_t{40} << 20));
  CHECK(completer.take().ended.size() == 1);
}

TEST_CASE("outcomes put back keep their order") {
  Completer completer;
  for (int64_t id = 0; id < 3; ++id) completer.add(1, ended_of(id));
  Completer::Batch batch = completer.take();
  completer.add(1, ended_of(3));
  completer.put_back(std::move(batch));
  batch = completer.take();
  REQUIRE(batch.ended.size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(batch.ended[i].key.task_id == static_cast<int64_t>(i));
}

TEST_CASE("array literals hold numbers, booleans and nulls") {
  PgArray array;
  array.add(int64_t{-7});
  array.add(std::optional<bool>(true));
  array.add_null();
  CHECK(array.text() == "{-7,t,NULL}");
  CHECK(int_array("{3,14,159}") == std::vector<int>{3, 14, 159});
  CHECK(int_array("{}").empty());
}

}  // namespace sluice
