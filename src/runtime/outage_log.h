// OutageLog reports an outage without a line for every attempt: one line when it begins, one a
// minute with its duration, one when it is over. It notices nothing by itself.
//
// Thread rule: loop thread only; the clock outlives it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/clock.h"

namespace sluice {

class OutageLog final {
 public:
  static constexpr int64_t reminder_interval_ms = 60'000;

  // `what`: the subject of the lines, as "the database".
  OutageLog(Clock& clock, std::string what);
  ~OutageLog();
  OutageLog(const OutageLog&) = delete;
  OutageLog& operator=(const OutageLog&) = delete;

  // Again and again while it is away, with the latest reason. A server that has never been there is
  // first mentioned after a minute: a command that needs it at its start reports that itself.
  void note_away(std::string_view reason);
  void note_there();

 private:
  void remind_in_a_minute();

  Clock& clock_;
  const std::string what_;
  bool was_there_ = false;
  std::optional<int64_t> away_since_ns_;
  std::string reason_;
  Clock::TimerId reminder_ = 0;
};

}  // namespace sluice
