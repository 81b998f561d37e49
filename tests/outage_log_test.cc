#include "runtime/outage_log.h"

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

#include "support/manual_clock.h"

namespace sluice {
namespace {

// What is logged for as long as it lives.
class Lines {
 public:
  Lines() : before_(spdlog::default_logger()) {
    auto logger = std::make_shared<spdlog::logger>(
        "lines", std::make_shared<spdlog::sinks::ostream_sink_st>(text_));
    logger->set_pattern("%l: %v");
    spdlog::set_default_logger(std::move(logger));
  }
  ~Lines() { spdlog::set_default_logger(before_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  std::string take() {
    std::string lines = text_.str();
    text_.str("");
    return lines;
  }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_;
};

}  // namespace

TEST_CASE("an outage is a line at the loss, one a minute, and one when it is over") {
  Lines lines;
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
  Lines lines;
  ManualClock clock;
  OutageLog log(clock, "the database");
  log.note_away("no such host");
  clock.advance(59 * ns_per_s);
  CHECK(lines.take().empty());
  clock.advance(2 * ns_per_s);
  CHECK(lines.take() == "warning: the database has been away for 1 min: no such host\n");
}

}  // namespace sluice
