#include "runtime/task.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/signal.h"

namespace sluice {
namespace {

Task<int> give(int value) {
  co_return value;
}

Task<int> sum_of_many(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await give(1);
  co_return sum;
}

Task<int> nested(int depth) {
  if (depth == 0) co_return 0;
  const int below = co_await nested(depth - 1);
  co_return below + 1;
}

Task<void> store(Task<int> task, int* out) {
  *out = co_await std::move(task);
}

Task<void> note(std::vector<std::string>* log, std::string text) {
  log->push_back(std::move(text));
  co_return;
}

Task<void> hold_and_wait(std::shared_ptr<int> held, Signal* signal) {
  co_await signal->wait();
  *held += 1;
}

}  // namespace

TEST_CASE("a task carries its value to whoever awaits it") {
  int value = 0;
  spawn(store(give(42), &value));
  CHECK(value == 42);
}

TEST_CASE("a task moves values that cannot be copied") {
  std::unique_ptr<int> value;
  const auto make = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
  const auto take = [&]() -> Task<void> { value = co_await make(); };
  spawn(take());
  REQUIRE(value);
  CHECK(*value == 7);
}

TEST_CASE("a million awaits of tasks that end at once do not eat the stack") {
  int sum = 0;
  spawn(store(sum_of_many(1'000'000), &sum));
  CHECK(sum == 1'000'000);
}

TEST_CASE("tasks nest") {
  int depth = 0;
  spawn(store(nested(100), &depth));
  CHECK(depth == 100);
}

TEST_CASE("a task is lazy: what is never awaited never runs") {
  std::vector<std::string> log;
  { const Task<void> never = note(&log, "ran"); }
  CHECK(log.empty());
}

TEST_CASE("a task spawned by a coroutine begins when that one has ended or waits") {
  std::vector<std::string> log;
  const auto parent = [&]() -> Task<void> {
    spawn(note(&log, "first child"));
    spawn(note(&log, "second child"));
    log.emplace_back("parent");
    co_return;
  };
  spawn(parent());
  CHECK(log == std::vector<std::string>{"parent", "first child", "second child"});
}

TEST_CASE("a task destroyed while it waits frees its frame, and what it waited for forgets it") {
  Signal signal;
  const auto held = std::make_shared<int>(0);
  {
    std::unique_ptr<Task<void>> waiting;
    const auto start = [&]() -> Task<void> {
      // The parent waits for the child; both frames go with `waiting`.
      co_await hold_and_wait(held, &signal);
    };
    waiting = std::make_unique<Task<void>>(start());
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
  auto waiting = std::make_unique<Task<void>>(hold_and_wait(held, &signal));
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
    TaskGroup group;
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
