#include "runtime/clock.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/manual_clock.h"
#include "support/run_co.h"

namespace sluice {
namespace {

Co<void> count_ticks(Clock* clock, int ticks, int* count) {
  for (int i = 0; i < ticks; ++i) {
    co_await sleep_until(*clock, clock->now_ns() + ns_per_ms);
    ++*count;
  }
}

Co<int64_t> lateness_ns(Clock* clock, int64_t delay_ns) {
  const int64_t at_ns = clock->now_ns() + delay_ns;
  co_await sleep_until(*clock, at_ns);
  co_return clock->now_ns() - at_ns;
}

}  // namespace

TEST_CASE("a manual clock runs timers in order of their moments, then of their setting") {
  ManualClock clock;
  const int64_t start_ns = clock.now_ns();
  std::vector<int> order;
  clock.call_at(start_ns + 20, [&] { order.push_back(2); });
  clock.call_at(start_ns + 10, [&] { order.push_back(1); });
  clock.call_at(start_ns + 20, [&] { order.push_back(3); });
  clock.call_at(start_ns + 30, [&] { order.push_back(4); });
  clock.advance(20);
  CHECK(order == std::vector{1, 2, 3});
  CHECK(clock.now_ns() == start_ns + 20);
}

TEST_CASE(
    "a cancelled timer does not run, also when an earlier one of the same moment cancels it") {
  ManualClock clock;
  Clock::TimerId second = 0;
  bool ran = false;
  clock.call_at(clock.now_ns() + 5, [&] { clock.cancel(second); });
  second = clock.call_at(clock.now_ns() + 5, [&] { ran = true; });
  clock.advance(10);
  CHECK_FALSE(ran);
}

TEST_CASE("a timer set by a timer runs in the same advance when it is due") {
  ManualClock clock;
  int count = 0;
  spawn(count_ticks(&clock, 5, &count));
  CHECK(count == 0);
  clock.advance(3 * ns_per_ms);
  CHECK(count == 3);
  clock.advance(10 * ns_per_ms);
  CHECK(count == 5);
}

TEST_CASE("sleeping until a moment that has passed does not wait") {
  ManualClock clock;
  bool done = false;
  const auto sleeper = [&]() -> Co<void> {
    co_await sleep_until(clock, clock.now_ns());
    done = true;
  };
  spawn(sleeper());
  CHECK(done);
}

TEST_CASE("the system clock is never early, and late by far less than a millisecond") {
  Loop loop;
  SystemClock clock(loop);
  std::vector<int64_t> late_ns;
  for (int i = 0; i < 20; ++i) {
    late_ns.push_back(run_co(loop, clock, lateness_ns(&clock, 100'000 + i * 37'000)));
    CHECK(late_ns.back() >= 0);
  }
  std::sort(late_ns.begin(), late_ns.end());
  // A busy machine may delay any one of them; the best of twenty shows the resolution of the timer.
  CHECK(late_ns.front() < ns_per_ms);
}

TEST_CASE("the system clock serves many timers, set in any order, and forgets the cancelled ones") {
  Loop loop;
  SystemClock clock(loop);
  std::vector<int> order;
  const int64_t now_ns = clock.now_ns();
  for (int i = 200; i > 0; --i) {
    const auto id =
        clock.call_at(now_ns + int64_t{i} * 10'000, [&order, i] { order.push_back(i); });
    if (i % 2 == 1) clock.cancel(id);
  }
  clock.call_at(now_ns + 5 * ns_per_ms, [&] { loop.stop(); });
  loop.run();
  CHECK(order.size() == 100);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

}  // namespace sluice
