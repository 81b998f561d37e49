#include "worker/hedging.h"

#include <doctest/doctest.h>

#include "bounds.h"

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
    "an extra call may begin while those of its model are under their share, those asked for "
    "included") {
  Hedging hedging;
  const Model model = model_of(0.08);
  call(hedging, 25);
  CHECK(hedging.ask(model, {1, 1}));
  CHECK(hedging.ask(model, {2, 1}));
  CHECK(hedging.ask(model, {3, 1}));  // two were under 8 % of 27
  CHECK_FALSE(hedging.ask(model, {4, 1}));
  CHECK(hedging.take() == std::vector<TaskKey>{{1, 1}, {2, 1}, {3, 1}});
  CHECK_FALSE(hedging.has_asked());
  hedging.note_answer({1, 1}, true);
  hedging.note_answer({2, 1}, true);
  CHECK_FALSE(hedging.ask(model, {4, 1}));
  hedging.note_answer({3, 1}, false);
  CHECK(hedging.ask(model, {4, 1}));
  CHECK_FALSE(hedging.ask(model, {5, 1}));
  hedging.forget({4, 1});  // its answer came first
  CHECK(hedging.ask(model, {5, 1}));
}

TEST_CASE("a model of few calls has one extra call, unless its budget is 0") {
  Hedging hedging;
  call(hedging, 1);
  CHECK_FALSE(hedging.ask(model_of(0), {1, 1}));
  CHECK(hedging.ask(model_of(0.08), {1, 1}));
  CHECK_FALSE(hedging.ask(model_of(0.08), {2, 1}));
}

TEST_CASE("the budget is a share of the last calls, not of all that ever were") {
  Hedging hedging;
  const Model model = model_of(0.001);
  call(hedging, 100 * bounds::hedge_window_calls);
  CHECK(hedging.ask(model, {1, 1}));
  CHECK(hedging.take().size() == 1);
  hedging.note_answer({1, 1}, true);
  CHECK_FALSE(hedging.ask(model, {2, 1}));
  call(hedging, bounds::hedge_window_calls);  // the extra one has left the window
  CHECK(hedging.ask(model, {2, 1}));
}

TEST_CASE("a flush asks for a bounded number") {
  Hedging hedging;
  const Model model = model_of(1);
  call(hedging, bounds::hedge_window_calls);
  for (int64_t id = 0; id < 200; ++id) CHECK(hedging.ask(model, {id, 1}));
  CHECK(hedging.take().size() == bounds::hedges_max);
  CHECK(hedging.has_asked());
}

}  // namespace sluice
