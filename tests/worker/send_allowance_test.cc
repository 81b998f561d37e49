#include "worker/send_allowance.h"

#include <doctest/doctest.h>

#include "bounds.h"
#include "runtime/clock.h"

namespace sluice {

TEST_CASE("while a quarter of the calls go out in time nobody asks for more") {
  SendAllowance allowance;
  CHECK_FALSE(allowance.wanted_ms());
  for (int i = 0; i < 8; ++i) allowance.note(200 * ns_per_ms);
  for (int i = 0; i < 23; ++i) allowance.note(900 * ns_per_ms);
  CHECK_FALSE(allowance.wanted_ms());
  allowance.note(900 * ns_per_ms);  // in place of the first
  CHECK(allowance.wanted_ms() == 1350);
}

TEST_CASE("the allowance is half as long again as half of the calls took") {
  SendAllowance allowance;
  allowance.note(400 * ns_per_ms);
  CHECK(allowance.wanted_ms() == 600);
  for (int i = 0; i < 30; ++i) allowance.note(500 * ns_per_ms);
  CHECK(allowance.wanted_ms() == 750);
}

TEST_CASE("the allowance has an end, and goes back when calls are quick again") {
  SendAllowance allowance;
  for (int i = 0; i < 31; ++i) allowance.note(60 * ns_per_s);
  CHECK(allowance.wanted_ms() == bounds::send_within_ms_max);
  for (int i = 0; i < 16; ++i) allowance.note(20 * ns_per_ms);
  CHECK_FALSE(allowance.wanted_ms());
}

}  // namespace sluice
