#include "worker/batch_pace.h"

#include <doctest/doctest.h>

#include "runtime/clock.h"

namespace sluice {

namespace {

Model batching(int batch_max, int64_t batch_wait_ms) {
  Model model;
  model.batch_max = batch_max;
  model.batch_wait_ms = batch_wait_ms;
  return model;
}

// Tasks that come evenly for 20 s.
BatchPace pace_at(const Model& model, int64_t interval_ms) {
  BatchPace pace;
  for (int64_t at_ms = 0; at_ms < 20'000; at_ms += interval_ms) {
    pace.note_arrival(model, at_ms * ns_per_ms);
  }
  return pace;
}

}  // namespace

TEST_CASE("nobody waits before it is known how long calls take") {
  const Model model = batching(50, 1000);
  CHECK(pace_at(model, 1).wait_ns(model) == 0);
  CHECK(pace_at(model, 1).goal(model) == 1);
}

TEST_CASE("with light traffic nobody waits") {
  const Model model = batching(50, 1000);
  BatchPace pace = pace_at(model, 1500);
  pace.note_call(60 * ns_per_s);
  CHECK(pace.goal(model) == 1);
}

TEST_CASE("as many are waited for as are likely to come within the wait") {
  const Model model = batching(50, 1000);
  BatchPace pace = pace_at(model, 50);
  pace.note_call(60 * ns_per_s);
  CHECK(pace.wait_ns(model) == 1000 * ns_per_ms);
  CHECK(pace.goal(model) >= 19);
  CHECK(pace.goal(model) <= 21);
  CHECK(pace_at(model, 1).goal(model) == 1);
  BatchPace fast = pace_at(model, 1);
  fast.note_call(60 * ns_per_s);
  CHECK(fast.goal(model) == 50);  // batch_max
}

TEST_CASE("quick calls are waited for briefly") {
  const Model model = batching(50, 1000);
  BatchPace pace = pace_at(model, 50);
  pace.note_call(800 * ns_per_ms);
  CHECK(pace.wait_ns(model) == 200 * ns_per_ms);
  CHECK(pace.goal(model) == 4);
  for (int i = 0; i < 100; ++i) pace.note_call(40 * ns_per_ms);
  CHECK(pace.wait_ns(model) < 11 * ns_per_ms);
  CHECK(pace.goal(model) == 1);
}

TEST_CASE("without batch_wait tasks go with those that come at once, and wait for nobody") {
  const Model model = batching(50, 0);
  BatchPace pace = pace_at(model, 1);
  pace.note_call(60 * ns_per_s);
  CHECK(pace.wait_ns(model) == 0);
  CHECK(pace.goal(model) == 1);
}

}  // namespace sluice
