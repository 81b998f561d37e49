#include "runtime/turn_share.h"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "support/manual_clock.h"

namespace sluice {

TEST_CASE("a crowd of work is spread over turns, in order, and others come between") {
  Loop loop;
  ManualClock clock;
  TurnShare share(loop, clock);
  std::vector<int> done;
  std::vector<uint64_t> turns;
  loop.post([&] {
    for (int i = 0; i < 12; ++i) {
      share.run("", [&, i] {
        clock.advance(2 * ns_per_ms);
        done.push_back(i);
        turns.push_back(loop.turn());
        if (i == 11) loop.stop();
      });
    }
  });
  loop.run();
  CHECK(done == std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(turns[2] == turns[0]);  // 6 ms: the share was spent with the third
  for (size_t i = 3; i < 12; ++i) CHECK((turns[i] == turns[i - 1]) == (i % 3 != 0));
}

TEST_CASE("a party with endless work takes from another at most half of the time") {
  Loop loop;
  ManualClock clock;
  TurnShare share(loop, clock);
  int64_t greedy_ns = 0;
  std::function<void()> take = [&] {
    clock.advance(5 * ns_per_ms);
    greedy_ns += 5 * ns_per_ms;
    share.run("greedy", take);
  };
  int done = 0;
  int64_t ended_ns = 0;
  loop.post([&] {
    for (int i = 0; i < 60; ++i) share.run("greedy", take);
    for (int i = 0; i < 200; ++i) {
      share.run("modest", [&] {
        clock.advance(ns_per_ms / 10);
        if (++done < 200) return;
        ended_ns = greedy_ns;
        loop.stop();
      });
    }
  });
  loop.run();
  CHECK(done == 200);  // 20 ms
  CHECK(ended_ns <= 25 * ns_per_ms);
}

TEST_CASE("work that asks for its next turn has it behind the others'") {
  Loop loop;
  ManualClock clock;
  TurnShare share(loop, clock, ns_per_ms);
  std::vector<int> done;
  std::function<void(int)> work = [&](int who) {
    clock.advance(ns_per_ms);
    done.push_back(who);
    if (done.size() == 6) return loop.stop();
    share.run("one", [&, who] { work(who); });
  };
  loop.post([&] {
    for (const int who : {1, 2}) share.run("one", [&, who] { work(who); });
  });
  loop.run();
  CHECK(done == std::vector{1, 1, 2, 1, 2, 1});
}

TEST_CASE("work that waits goes with its share") {
  Loop loop;
  ManualClock clock;
  int done = 0;
  {
    TurnShare share(loop, clock);
    for (int i = 0; i < 10; ++i) {
      share.run("", [&] {
        clock.advance(5 * ns_per_ms);
        ++done;
      });
    }
  }
  loop.post([&] { loop.stop(); });
  loop.run();
  CHECK(done == 1);
}

}  // namespace sluice
