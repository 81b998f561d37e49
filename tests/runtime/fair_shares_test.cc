#include "runtime/fair_shares.h"

#include <doctest/doctest.h>

#include <list>

namespace sluice {
namespace {

// How many single units `key` at `address` gets; they are kept in `parts`.
int taken_by(FairShares& shares, std::list<FairShares::Part>& parts, const std::string& key,
             const std::string& address) {
  for (int taken = 0;; ++taken) {
    if (!parts.emplace_back(shares, key, address).grow(1)) {
      parts.pop_back();
      return taken;
    }
  }
}

}  // namespace

TEST_CASE("one key has half at most, the next ones half of what is left") {
  FairShares shares(16);
  std::list<FairShares::Part> parts;
  CHECK(taken_by(shares, parts, "a", "1") == 8);
  CHECK(taken_by(shares, parts, "b", "2") == 4);
  CHECK(taken_by(shares, parts, "c", "3") == 2);
  CHECK(taken_by(shares, parts, "d", "4") == 1);
  CHECK(taken_by(shares, parts, "e", "5") == 0);
}

TEST_CASE("an address has seven eighths at most, whatever its keys are") {
  FairShares shares(800);
  std::list<FairShares::Part> parts;
  CHECK(taken_by(shares, parts, "", "1") == 700);
  CHECK(taken_by(shares, parts, "a", "1") == 0);
  CHECK(taken_by(shares, parts, "b", "2") == 50);
}

TEST_CASE("what was refused holds nothing, and what goes gives all of it back") {
  FairShares shares(100);
  {
    FairShares::Part part(shares, "a", "1");
    CHECK(part.grow(30));
    CHECK(part.grow(20));
    CHECK_FALSE(part.grow(1));
    CHECK(shares.free() == 50);
    part.give_back(60);
    CHECK(shares.free() == 50);
    part.give_back(20);
    CHECK(shares.free() == 80);
    part.give_back();
    CHECK(part.grow(50));
  }
  CHECK(shares.free() == 100);
  CHECK(FairShares::Part(shares, "b", "1").grow(50));
}

}  // namespace sluice
