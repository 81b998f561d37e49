#include "api/database_breaker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace sluice {

DatabaseBreaker::Pass::Pass(Pass&& other) noexcept
    : breaker_(std::exchange(other.breaker_, nullptr)), phase_(other.phase_) {}

DatabaseBreaker::Pass::~Pass() {
  if (breaker_ != nullptr) breaker_->note(phase_, std::nullopt);
}

void DatabaseBreaker::Pass::note(bool has_failed) {
  std::exchange(breaker_, nullptr)->note(phase_, has_failed);
}

std::optional<DatabaseBreaker::Pass> DatabaseBreaker::admit() {
  if (state_ == State::open && state() == State::half_open) enter(State::half_open);
  if (state_ == State::open || (state_ == State::half_open && is_probing_)) return std::nullopt;
  is_probing_ = state_ == State::half_open;
  return Pass(*this, phase_);
}

DatabaseBreaker::State DatabaseBreaker::state() const {
  return state_ == State::open && open_for_ms() == 0 ? State::half_open : state_;
}

int64_t DatabaseBreaker::open_for_ms() const {
  if (state_ != State::open) return 0;
  return std::max<int64_t>(0, (open_until_ns_ - clock_.now_ns() + ns_per_ms - 1) / ns_per_ms);
}

void DatabaseBreaker::note_connection(bool has_failed) {
  if (has_failed) {
    const bool lacks_nothing_else = state_ == State::closed || lacks_only_connections_;
    note(phase_, true);
    is_cut_off_ = state_ != State::closed;
    lacks_only_connections_ = is_cut_off_ && lacks_nothing_else;
  } else if (lacks_only_connections_) {
    enter(State::closed);
  } else if (std::exchange(is_cut_off_, false)) {
    open_until_ns_ = clock_.now_ns();
  }
}

void DatabaseBreaker::note(int64_t phase, std::optional<bool> has_failed) {
  if (phase != phase_) return;
  is_probing_ = false;
  if (!has_failed) return;
  const bool is_closed = state_ == State::closed;
  in_a_row_ = *has_failed == is_closed ? in_a_row_ + 1 : 0;
  if (is_closed) {
    if (in_a_row_ >= limits_.failures) enter(State::open);
  } else if (*has_failed) {
    enter(State::open);
  } else if (in_a_row_ >= limits_.successes) {
    enter(State::closed);
  }
}

void DatabaseBreaker::enter(State state) {
  if (state == State::open && state_ == State::closed) {
    spdlog::warn("{} failures of the database in a row: refusing requests for {} ms",
                 limits_.failures, limits_.open_ms);
  } else if (state == State::closed) {
    spdlog::info("the database works again");
  }
  state_ = state;
  is_cut_off_ = lacks_only_connections_ = false;
  ++phase_;
  in_a_row_ = 0;
  is_probing_ = false;
  open_until_ns_ = clock_.now_ns() + limits_.open_ms * ns_per_ms;
}

}  // namespace sluice
