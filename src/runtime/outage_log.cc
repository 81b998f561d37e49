#include "runtime/outage_log.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace sluice {

OutageLog::OutageLog(Clock& clock, std::string what) : clock_(clock), what_(std::move(what)) {}

OutageLog::~OutageLog() {
  if (reminder_ != 0) clock_.cancel(reminder_);
}

void OutageLog::note_away(std::string_view reason) {
  reason_ = reason;
  if (away_since_ns_) return;
  away_since_ns_ = clock_.now_ns();
  if (was_there_) spdlog::warn("lost {}, trying again: {}", what_, reason_);
  remind_in_a_minute();
}

void OutageLog::note_there() {
  was_there_ = true;
  if (!away_since_ns_) return;
  clock_.cancel(reminder_);
  const double away_s =
      static_cast<double>(clock_.now_ns() - *away_since_ns_) / static_cast<double>(ns_per_s);
  spdlog::info("{} is back after {:.1f} s", what_, away_s);
  away_since_ns_.reset();
}

void OutageLog::remind_in_a_minute() {
  reminder_ = clock_.call_at(clock_.now_ns() + reminder_interval_ms * ns_per_ms, [this] {
    const int64_t away_min = (clock_.now_ns() - *away_since_ns_) / (60 * ns_per_s);
    spdlog::warn("{} has been away for {} min: {}", what_, away_min, reason_);
    remind_in_a_minute();
  });
}

}  // namespace sluice
