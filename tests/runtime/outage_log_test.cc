#include "runtime/outage_log.h"

#include <doctest/doctest.h>

#include <string>

#include "support/log_lines.h"
#include "support/manual_clock.h"

namespace sluice {

TEST_CASE("an outage is a line at the loss, one a minute, and one when it is over") {
  LogLines lines;
  ManualClock clock;
  OutageLog log(clock, "the database");
  log.note_there();
  CHECK(lines.take().empty());
  for (int second = 0; second < 150; ++second) {
    log.note_away("refused " + std::to_string(second));
    clock.advance(ns_per_s);
  }
  CHECK(lines.take() ==
        "warning: lost the database, trying again: refused 0\n"
        "warning: the database has been away for 1 min: refused 59\n"
        "warning: the database has been away for 2 min: refused 119\n");
  log.note_there();
  log.note_there();
  CHECK(lines.take() == "info: the database is back after 150.0 s\n");
  clock.advance(300 * ns_per_s);
  CHECK(lines.take().empty());
}

TEST_CASE("what was never there is mentioned after a minute") {
  LogLines lines;
  ManualClock clock;
  OutageLog log(clock, "the database");
  log.note_away("no such host");
  clock.advance(59 * ns_per_s);
  CHECK(lines.take().empty());
  clock.advance(2 * ns_per_s);
  CHECK(lines.take() == "warning: the database has been away for 1 min: no such host\n");
}

}  // namespace sluice
