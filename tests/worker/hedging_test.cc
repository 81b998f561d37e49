#include "worker/hedging.h"

#include <doctest/doctest.h>

#include "bounds.h"
#include "runtime/clock.h"

namespace sluice {

namespace {

const std::string name = "a model";

Model model_of(double budget) {
  Model model;
  model.name = name;
  model.hedge_budget = budget;
  return model;
}

void call(Hedging& hedging, size_t times) {
  for (size_t i = 0; i < times; ++i) hedging.note_call(name);
}

}  // namespace

TEST_CASE(
    "an extra call may be asked for while those of its model are under three times their share, "
    "those asked for included") {
  Hedging hedging;
  const Model model = model_of(0.04);
  call(hedging, 18);
  CHECK(hedging.ask(model, {1, 1}, 0));
  CHECK(hedging.ask(model, {2, 1}, 0));
  CHECK(hedging.ask(model, {3, 1}, 0));  // two were under 12 % of 20
  CHECK_FALSE(hedging.ask(model, {4, 1}, 0));
  CHECK(hedging.take() == std::vector<TaskKey>{{1, 1}, {2, 1}, {3, 1}});
  CHECK_FALSE(hedging.has_asked());
  hedging.note_answer({1, 1}, true);
  hedging.note_answer({2, 1}, true);
  CHECK_FALSE(hedging.ask(model, {4, 1}, 0));
  hedging.note_answer({3, 1}, false);
  CHECK(hedging.ask(model, {4, 1}, 0));
  CHECK_FALSE(hedging.ask(model, {5, 1}, 0));
  hedging.forget({4, 1});  // its answer came first
  CHECK(hedging.ask(model, {5, 1}, 0));
}

TEST_CASE("extra calls count from when they are asked for until their task's call has ended") {
  Hedging hedging;
  const Model model = model_of(1);
  call(hedging, 10);
  CHECK(hedging.ask(model, {1, 1}, 0));
  CHECK(hedging.ask(model, {2, 1}, 0));
  CHECK(hedging.size() == 2);
  CHECK(hedging.take().size() == 2);
  hedging.note_answer({1, 1}, true);
  hedging.note_answer({2, 1}, false);
  CHECK(hedging.size() == 1);
  CHECK(hedging.ask(model, {1, 1}, 0));  // its second one
  CHECK(hedging.take().size() == 1);
  hedging.note_answer({1, 1}, true);
  CHECK(hedging.size() == 2);
  hedging.forget({1, 1});
  CHECK(hedging.size() == 0);
}

TEST_CASE("after a refusal nobody of its model asks for a while, and others do") {
  Hedging hedging;
  const Model model = model_of(1);
  Model other = model;
  other.name = "another";
  call(hedging, 10);
  hedging.note_call(other.name);
  const int64_t again_ns = bounds::hedge_again_ms * ns_per_ms;
  CHECK(hedging.ask(model, {1, 1}, 5));
  CHECK(hedging.take().size() == 1);
  hedging.note_refusal({1, 1});
  CHECK_FALSE(hedging.ask(model, {2, 1}, 5 + again_ns - 1));
  CHECK(hedging.ask(other, {3, 1}, 6));
  CHECK(hedging.ask(model, {2, 1}, 5 + again_ns));
}

TEST_CASE("a model of few calls has one extra call, unless its budget is 0") {
  Hedging hedging;
  call(hedging, 1);
  CHECK_FALSE(hedging.ask(model_of(0), {1, 1}, 0));
  CHECK(hedging.ask(model_of(0.08), {1, 1}, 0));
  CHECK_FALSE(hedging.ask(model_of(0.08), {2, 1}, 0));
}

TEST_CASE("the budget is a share of the last calls, not of all that ever were") {
  Hedging hedging;
  const Model model = model_of(0.0003);
  call(hedging, 100 * bounds::hedge_window_calls);
  CHECK(hedging.ask(model, {1, 1}, 0));
  CHECK(hedging.take().size() == 1);
  hedging.note_answer({1, 1}, true);
  CHECK_FALSE(hedging.ask(model, {2, 1}, 0));
  call(hedging, bounds::hedge_window_calls);  // the extra one has left the window
  CHECK(hedging.ask(model, {2, 1}, 0));
}

TEST_CASE("a flush asks for a bounded number") {
  Hedging hedging;
  const Model model = model_of(1);
  call(hedging, bounds::hedge_window_calls);
  for (int64_t id = 0; id < 200; ++id) CHECK(hedging.ask(model, {id, 1}, 0));
  CHECK(hedging.take().size() == bounds::hedges_max);
  CHECK(hedging.has_asked());
}

}  // namespace sluice
