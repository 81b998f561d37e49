#include "duration.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("durations are a number and a unit") {
  CHECK(duration_ms("10ms") == 10);
  CHECK(duration_ms("5s") == 5000);
  CHECK(duration_ms("1.5s") == 1500);
  CHECK(duration_ms("2m") == 120'000);
  CHECK(duration_ms("1h") == 3'600'000);
  CHECK(duration_ms("0s") == 0);
}

TEST_CASE("what is no duration is refused") {
  for (const char* text :
       {"", "5", "s", "-5s", "5 s", "5sec", "1e3s", "inf", "nan", "9000000h", "5s5s"}) {
    CAPTURE(text);
    CHECK_FALSE(duration_ms(text).has_value());
  }
}

}  // namespace sluice
