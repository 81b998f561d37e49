#include "runtime/memory_budget.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "support/manual_clock.h"

namespace sluice {
namespace {

constexpr int64_t mib = int64_t{1} << 20;

// A budget of 90 MiB: room for 45 MiB of answers in both their copies. Of that a backend may have
// 33, 30 of them for large ones.
struct Fixture {
  ManualClock clock;
  MemoryBudget memory{clock, 90 * mib, 2};
  std::vector<int> woken;

  std::unique_ptr<MemoryBudget::Hold> hold(int number, const char* backend = "a:80") {
    return std::make_unique<MemoryBudget::Hold>(memory, backend,
                                                [this, number] { woken.push_back(number); });
  }
  void turn() { clock.advance(0); }
};

}  // namespace

TEST_CASE("answers are counted with their copies, until their holds are gone") {
  Fixture fixture;
  auto hold = fixture.hold(1);
  CHECK(hold->grow_to(10 * mib));
  CHECK(hold->grow_to(12 * mib));
  CHECK(fixture.memory.bytes() == 24 * mib);
  hold->end();
  CHECK(fixture.memory.bytes() == 24 * mib);
  hold.reset();
  CHECK(fixture.memory.bytes() == 0);
}

TEST_CASE("beyond the budget one may grow, and the others when there is room again") {
  Fixture fixture;
  auto first = fixture.hold(1);
  auto second = fixture.hold(2);
  auto third = fixture.hold(3);
  CHECK(first->grow_to(10 * mib));
  CHECK(second->grow_to(10 * mib));
  CHECK(third->grow_to(10 * mib));
  CHECK(second->grow_to(20 * mib));
  CHECK_FALSE(first->grow_to(11 * mib));
  CHECK_FALSE(third->grow_to(11 * mib));
  CHECK(second->grow_to(30 * mib));
  second->end();
  CHECK_FALSE(first->grow_to(11 * mib));  // what has ended is on its way to the database
  fixture.turn();
  CHECK(fixture.woken == std::vector{1, 3});
  second.reset();
  fixture.turn();
  CHECK(fixture.woken == std::vector{1, 3, 1, 3});
  CHECK(first->grow_to(11 * mib));
}

TEST_CASE("small answers have a part of the budget that large ones cannot take") {
  Fixture fixture;
  auto large = fixture.hold(1);
  auto other = fixture.hold(2);
  auto small = fixture.hold(3);
  CHECK(large->grow_to(29 * mib));
  CHECK(large->grow_to(32 * mib));
  CHECK_FALSE(other->grow_to(2 * mib));
  CHECK(small->grow_to(mib / 2));
}

TEST_CASE("a backend that does not end its answers leaves room for the others") {
  Fixture fixture;
  std::vector<std::unique_ptr<MemoryBudget::Hold>> stalled;
  for (const char* backend : {"a:80", "b:80", "c:80"}) {
    for (int i = 0; i < 400; ++i) {
      stalled.push_back(fixture.hold(i, backend));
      if (stalled.back()->grow_to(mib / 2)) stalled.back()->grow_to(20 * mib);
    }
  }
  auto usual = fixture.hold(1000, "d:80");
  CHECK(usual->grow_to(20'000));
  auto large = fixture.hold(1001, "d:80");
  CHECK(large->grow_to(20 * mib));  // beyond the budget
  CHECK(usual->grow_to(100'000));
  auto other = fixture.hold(1002, "d:80");
  CHECK_FALSE(other->grow_to(20 * mib));
  CHECK(fixture.memory.bytes() < (90 + 4 * 40) * mib);
}

TEST_CASE("one that waits for room may go") {
  Fixture fixture;
  auto large = fixture.hold(1);
  auto other = fixture.hold(2);
  CHECK(large->grow_to(29 * mib));
  CHECK(large->grow_to(32 * mib));
  CHECK_FALSE(other->grow_to(2 * mib));
  other.reset();
  large.reset();
  fixture.turn();
  CHECK(fixture.woken.empty());
}

TEST_CASE("an answer that cannot wait is counted all the same") {
  Fixture fixture;
  auto hold = fixture.hold(1);
  hold->grow_anyway_to(50 * mib);
  CHECK(fixture.memory.bytes() == 100 * mib);
  CHECK_FALSE(fixture.memory.is_spent_twice());
  hold->grow_anyway_to(95 * mib);
  CHECK(fixture.memory.is_spent_twice());
}

}  // namespace sluice
