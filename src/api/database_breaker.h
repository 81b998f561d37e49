// DatabaseBreaker keeps requests away from a database that fails repeatedly, so that not every
// request has to find out by itself: closed -> open after failures in a row -> half open, when one
// statement at a time goes through -> closed after successes in a row. A failed attempt to connect
// counts as a failure. If only such failures opened the breaker, the first connection closes it; if
// statements failed, it becomes half open then. It sends nothing.
//
// Thread rule: loop thread only; the clock outlives it, and it outlives its passes.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/clock.h"

namespace sluice {

struct DatabaseBreakerLimits {
  int failures = 5;  // in a row: open
  int64_t open_ms = 5'000;
  int successes = 2;  // in a row, half open: closed
};

class DatabaseBreaker final {
 public:
  enum class State { closed, half_open, open };

  // Leave for one statement. Gone without a word it counts for nothing, and its place is free.
  class Pass final {
   public:
    Pass(Pass&& other) noexcept;
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    Pass& operator=(Pass&&) = delete;
    ~Pass();

    // How the statement ended. Requires: not called before.
    void note(bool has_failed);

   private:
    friend class DatabaseBreaker;
    Pass(DatabaseBreaker& breaker, int64_t phase) : breaker_(&breaker), phase_(phase) {}

    DatabaseBreaker* breaker_;  // null: it has been told
    int64_t phase_;
  };

  DatabaseBreaker(const Clock& clock, DatabaseBreakerLimits limits)
      : clock_(clock), limits_(limits) {}

  // An attempt to connect has ended.
  void note_connection(bool has_failed);

  // nullopt: not now.
  std::optional<Pass> admit();

  State state() const;
  // 0 unless open.
  int64_t open_for_ms() const;

 private:
  void enter(State state);
  void note(int64_t phase, std::optional<bool> has_failed);

  const Clock& clock_;
  const DatabaseBreakerLimits limits_;
  State state_ = State::closed;
  int64_t phase_ = 0;  // counts the changes: what was sent before the last one says nothing new
  int64_t open_until_ns_ = 0;
  int in_a_row_ = 0;  // failures while closed, successes while half open
  bool is_probing_ = false;
  bool is_cut_off_ = false;              // not closed, and the last failure was no connection
  bool lacks_only_connections_ = false;  // cut off, and nothing else has failed
};

}  // namespace sluice
