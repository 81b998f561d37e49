#include "worker/server_clock.h"

#include <doctest/doctest.h>

#include "runtime/clock.h"

namespace sluice {

namespace {

constexpr int64_t epoch_us = 1'800'000'000'000'000;  // what the database's clock shows at our 0

// A reading at `at_ms` of ours, on a way of `way_ms` there and back, of a clock that is `ahead_us`
// of where it was.
void read(ServerClock& clock, int64_t at_ms, int64_t way_ms, int64_t ahead_us) {
  clock.note(epoch_us + at_ms * 1000 + ahead_us, (at_ms - way_ms) * ns_per_ms,
             (at_ms + way_ms) * ns_per_ms);
}

}  // namespace

TEST_CASE("a clock that goes as ours does has not jumped, whatever the way takes") {
  ServerClock clock;
  read(clock, 0, 1, 0);
  read(clock, 5'000, 1, 0);
  read(clock, 10'000, 900, 0);    // slow answers
  read(clock, 15'000, 1, 7'000);  // 500 ppm faster
  CHECK(clock.jump_us() == 0);
  read(clock, 3'615'000, 1, 1'800'000);  // for an hour
  CHECK_FALSE(clock.has_jumped());
}

TEST_CASE("a step of more than the way explains is a jump until the database knows") {
  ServerClock clock;
  read(clock, 0, 1, 0);
  read(clock, 1'000, 1, 40'000);
  CHECK_FALSE(clock.has_jumped());  // as NTP makes them
  read(clock, 2'000, 1, 3'600'000'000);
  CHECK(clock.jump_us() > 3'599'000'000);
  CHECK(clock.jump_us() < 3'600'000'000);
  read(clock, 3'000, 1, 3'600'000'000);
  CHECK(clock.has_jumped());
  CHECK(clock.sound_us() < epoch_us + 3'001'000);
  clock.reset(epoch_us + 3'001'000 + 3'600'000'000, 3'000 * ns_per_ms);
  CHECK(clock.sound_us() == epoch_us + 3'001'000 + 3'600'000'000);
  read(clock, 3'002, 1, 3'600'000'000);
  CHECK_FALSE(clock.has_jumped());
}

TEST_CASE("a slow answer hides no jump of the next") {
  ServerClock clock;
  read(clock, 0, 1, 0);
  read(clock, 5'000, 2'000, 0);
  read(clock, 5'001, 1, 200'000);
  CHECK(clock.has_jumped());
}

TEST_CASE("a clock that was set back and goes ahead again has jumped") {
  ServerClock clock;
  read(clock, 0, 1, 0);
  read(clock, 1'000, 1, -3'600'000'000);
  CHECK_FALSE(clock.has_jumped());
  read(clock, 2'000, 1, 0);
  CHECK(clock.has_jumped());
}

}  // namespace sluice
