#include "duration.h"

#include <doctest/doctest.h>

#include "command_error.h"

namespace sluice {

TEST_CASE("durations are a whole number and a unit") {
  CHECK(parse_duration_ms("10ms") == 10);
  CHECK(parse_duration_ms("0s") == 0);
  CHECK(parse_duration_ms("5s") == 5'000);
  CHECK(parse_duration_ms("2m") == 120'000);
  CHECK(parse_duration_ms("1h") == 3'600'000);
  CHECK(parse_duration_ms("3650d") == 315'360'000'000);
}

TEST_CASE("what is not a duration is refused as a usage error that names it") {
  for (const char* text : {"", "5", "s", "-1s", "1.5s", "5 s", "5sec", "3651d", "9999999999999999h",
                           "99999999999999999999s"}) {
    CAPTURE(text);
    try {
      parse_duration_ms(text);
      FAIL("accepted");
    } catch (const CommandError& error) {
      CHECK(error.code() == ExitCode::usage);
      CHECK(std::string(error.what()).find("'" + std::string(text) + "'") == 0);
    }
  }
}

TEST_CASE("a duration is taken off the front of a text, whatever follows") {
  std::string_view text = "1h0.5s250us7ns and more";
  double sum_ns = 0;
  while (const auto next = take_duration(text)) sum_ns += next->ns();
  CHECK(sum_ns == 3'600e9 + 5e8 + 250e3 + 7);
  CHECK(text == " and more");
  for (const char* none : {"", "s", "-1s", "+1s", ".5s", "1", "1e3s", "nans", "infs", "1 s"}) {
    CAPTURE(none);
    std::string_view rest = none;
    CHECK(take_duration(rest) == std::nullopt);
  }
}

TEST_CASE("ages are brief") {
  CHECK(brief_age(-3) == "0s");
  CHECK(brief_age(59.9) == "59s");
  CHECK(brief_age(61) == "1m");
  CHECK(brief_age(7'200) == "2h");
  CHECK(brief_age(86'400 * 3) == "3d");
  CHECK(brief_age(1e18) == "99999d");
}

TEST_CASE("how long calls took fits a narrow column") {
  CHECK(brief_duration(-1) == "0ms");
  CHECK(brief_duration(0.34) == "340ms");
  CHECK(brief_duration(0.9999) == "1.0s");
  CHECK(brief_duration(1.24) == "1.2s");
  CHECK(brief_duration(9.96) == "9s");
  CHECK(brief_duration(59.9) == "59s");
  CHECK(brief_duration(3600 * 24.0 * 365) == "365d");
}

}  // namespace sluice
