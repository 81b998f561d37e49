#include "runtime/backoff.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "bounds.h"

namespace sluice {

namespace {

int64_t longest_of(Backoff& backoff, int draws) {
  int64_t longest_ms = 0;
  for (int i = 0; i < draws; ++i) {
    const int64_t pause_ms = backoff.pause_ms();
    REQUIRE(pause_ms > 0);
    longest_ms = std::max(longest_ms, pause_ms);
  }
  return longest_ms;
}

}  // namespace

TEST_CASE("backoff: without a failure there is no pause") {
  Backoff backoff;
  CHECK(backoff.pause_ms() == 0);
  backoff.note_failure(5'000);
  CHECK(backoff.pause_ms() > 0);
  backoff.note_success();
  CHECK(backoff.pause_ms() == 0);
}

TEST_CASE("backoff: the bound of the pauses doubles up to its most") {
  Backoff backoff;
  for (const int64_t bound_ms :
       {bounds::reconnect_pause_ms_base, 2 * bounds::reconnect_pause_ms_base,
        4 * bounds::reconnect_pause_ms_base}) {
    backoff.note_failure(5'000);
    const int64_t longest_ms = longest_of(backoff, 1000);
    CHECK(longest_ms <= bound_ms);
    CHECK(longest_ms > bound_ms / 2);  // misses by chance once in 2^1000
  }
  for (int i = 0; i < 100; ++i) backoff.note_failure(450);
  CHECK(longest_of(backoff, 1000) <= 450);
}

TEST_CASE("backoff: a most below the base counts as the base") {
  Backoff backoff;
  backoff.note_failure(1);
  CHECK(longest_of(backoff, 1000) > 1);
}

}  // namespace sluice
