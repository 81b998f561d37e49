#include "runtime/co.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/signal.h"

namespace sluice {
namespace {

Co<int> give(int value) {
  co_return value;
}

Co<int> sum_of_many(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await give(1);
  co_return sum;
}

Co<int> nested(int depth) {
  if (depth == 0) co_return 0;
  const int below = co_await nested(depth - 1);
  co_return below + 1;
}

Co<void> store(Co<int> coroutine, int* out) {
  *out = co_await std::move(coroutine);
}

Co<void> note(std::vector<std::string>* log, std::string text) {
  log->push_back(std::move(text));
  co_return;
}

Co<void> hold_and_wait(std::shared_ptr<int> held, Signal* signal) {
  co_await signal->wait();
  *held += 1;
}

}  // namespace

TEST_CASE("a coroutine carries its value to whoever awaits it") {
  int value = 0;
  spawn(store(give(42), &value));
  CHECK(value == 42);
}

TEST_CASE("a coroutine moves values that cannot be copied") {
  std::unique_ptr<int> value;
  const auto make = []() -> Co<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
  const auto take = [&]() -> Co<void> { value = co_await make(); };
  spawn(take());
  REQUIRE(value);
  CHECK(*value == 7);
}

TEST_CASE("a million awaits of coroutines that end at once do not eat the stack") {
  int sum = 0;
  spawn(store(sum_of_many(1'000'000), &sum));
  CHECK(sum == 1'000'000);
}

TEST_CASE("coroutines nest") {
  int depth = 0;
  spawn(store(nested(100), &depth));
  CHECK(depth == 100);
}

TEST_CASE("a coroutine is lazy: what is never awaited never runs") {
  std::vector<std::string> log;
  { const Co<void> never = note(&log, "ran"); }
  CHECK(log.empty());
}

TEST_CASE("a coroutine spawned by a coroutine begins when that one has ended or waits") {
  std::vector<std::string> log;
  const auto parent = [&]() -> Co<void> {
    spawn(note(&log, "first child"));
    spawn(note(&log, "second child"));
    log.emplace_back("parent");
    co_return;
  };
  spawn(parent());
  CHECK(log == std::vector<std::string>{"parent", "first child", "second child"});
}

TEST_CASE(
    "a coroutine destroyed while it waits frees its frame, and what it waited for forgets it") {
  Signal signal;
  const auto held = std::make_shared<int>(0);
  {
    std::unique_ptr<Co<void>> waiting;
    const auto start = [&]() -> Co<void> {
      // The parent waits for the child; both frames go with `waiting`.
      co_await hold_and_wait(held, &signal);
    };
    waiting = std::make_unique<Co<void>>(start());
    ReadyQueue::Entry entry;
    auto awaiter = std::move(*waiting).operator co_await();
    CHECK(awaiter.await_suspend(std::noop_coroutine()));
    CHECK(held.use_count() == 2);
  }
  CHECK(held.use_count() == 1);
  signal.raise();
  CHECK(*held == 0);
}

TEST_CASE("a coroutine that was ready to go on may still be destroyed") {
  Signal signal;
  const auto held = std::make_shared<int>(0);
  auto waiting = std::make_unique<Co<void>>(hold_and_wait(held, &signal));
  auto awaiter = std::move(*waiting).operator co_await();
  CHECK(awaiter.await_suspend(std::noop_coroutine()));
  {
    const ReadyQueue::Batch batch;
    signal.raise();
    waiting.reset();
  }
  CHECK(held.use_count() == 1);
  CHECK(*held == 0);
}

TEST_CASE("a group destroys the coroutines that have not ended, and no others") {
  Signal early;
  Signal late;
  const auto held = std::make_shared<int>(0);
  {
    CoGroup group;
    group.spawn(hold_and_wait(held, &early));
    group.spawn(hold_and_wait(held, &late));
    CHECK(group.running() == 2);
    early.raise();
    CHECK(group.running() == 1);
    CHECK(*held == 1);
  }
  CHECK(held.use_count() == 1);
  late.raise();
  CHECK(*held == 1);
}

}  // namespace sluice
