#include "runtime/signal.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/manual_clock.h"

namespace sluice {
namespace {

Co<void> count_raises(Signal* signal, int* count) {
  while (true) {
    co_await signal->wait();
    ++*count;
    if (*count < 0) co_return;
  }
}

Co<void> wait_for(Signal* signal, Clock* clock, int64_t at_ns, std::string* outcome) {
  const bool raised = co_await signal->wait_until(*clock, at_ns);
  *outcome = raised ? "raised" : "time-out";
}

Co<void> play(Signal* mine, Signal* other, int rounds, int* left) {
  for (int i = 0; i < rounds; ++i) {
    co_await mine->wait();
    --*left;
    other->raise();
  }
}

}  // namespace

TEST_CASE("raises with nobody waiting are remembered as one") {
  Signal signal;
  signal.raise();
  signal.raise();
  int wakes = 0;
  const auto waiter = [&]() -> Co<void> {
    co_await signal.wait();
    ++wakes;
    co_await signal.wait();
    ++wakes;
  };
  spawn(waiter());
  CHECK(wakes == 1);
  signal.raise();
  CHECK(wakes == 2);
}

TEST_CASE("a wait with a deadline says whether it was raised") {
  ManualClock clock;
  const int64_t at_ns = clock.now_ns() + 100;
  Signal signal;
  std::string outcome;
  SUBCASE("raised in time") {
    spawn(wait_for(&signal, &clock, at_ns, &outcome));
    signal.raise();
    CHECK(outcome == "raised");
    CHECK_FALSE(clock.next_timer_at_ns());
  }
  SUBCASE("raised before") {
    signal.raise();
    spawn(wait_for(&signal, &clock, at_ns, &outcome));
    CHECK(outcome == "raised");
  }
  SUBCASE("not raised") {
    spawn(wait_for(&signal, &clock, at_ns, &outcome));
    clock.advance(99);
    CHECK(outcome.empty());
    clock.advance(1);
    CHECK(outcome == "time-out");
  }
  SUBCASE("a deadline that has passed") {
    spawn(wait_for(&signal, &clock, clock.now_ns(), &outcome));
    CHECK(outcome == "time-out");
  }
}

TEST_CASE("a raise just after the deadline is kept for the next wait") {
  ManualClock clock;
  Signal signal;
  std::string first;
  std::string second;
  spawn(wait_for(&signal, &clock, clock.now_ns() + 10, &first));
  {
    const ReadyQueue::Batch batch;
    clock.advance(10);
    signal.raise();
  }
  CHECK(first == "time-out");
  spawn(wait_for(&signal, &clock, clock.now_ns() + 10, &second));
  CHECK(second == "raised");
}

TEST_CASE("raising from a coroutine does not run the waiter in the middle of it") {
  Signal signal;
  std::vector<std::string> log;
  const auto waiter = [&]() -> Co<void> {
    co_await signal.wait();
    log.emplace_back("waiter");
  };
  const auto raiser = [&]() -> Co<void> {
    signal.raise();
    log.emplace_back("raiser");
    co_return;
  };
  spawn(waiter());
  spawn(raiser());
  CHECK(log == std::vector<std::string>{"raiser", "waiter"});
}

TEST_CASE("two coroutines that wake each other a million times do not eat the stack") {
  Signal ping;
  Signal pong;
  int left = 1'000'000;
  spawn(play(&ping, &pong, 500'000, &left));
  spawn(play(&pong, &ping, 500'000, &left));
  ping.raise();
  CHECK(left == 0);
}

TEST_CASE("a signal may be destroyed under its waiter, which then waits for good") {
  auto signal = std::make_unique<Signal>();
  int count = 0;
  Co<void> coroutine = count_raises(signal.get(), &count);
  auto awaiter = std::move(coroutine).operator co_await();
  CHECK(awaiter.await_suspend(std::noop_coroutine()));
  signal->raise();
  CHECK(count == 1);
  signal.reset();
  CHECK(count == 1);
}

}  // namespace sluice
