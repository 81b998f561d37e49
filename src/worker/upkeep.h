// Upkeep does a worker's rounds for the fleet: it sends heartbeats, takes back leases of dead
// workers, sweeps, runs retention, keeps the history and makes the steps of jobs. It owns the times
// of these rounds and their statements.
//
// Thread rule: loop thread only. Its arguments outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "runtime/signal.h"
#include "worker/calls.h"
#include "worker/database_link.h"

namespace sluice {

class Upkeep final {
 public:
  // `on_swept`: a sweep has found work.
  Upkeep(Clock& clock, Metrics& metrics, DatabaseLink& link, Calls& calls,
         std::function<void()> on_swept);

  // A heartbeat is due now, whatever the time.
  void want_beat() { must_beat_ = true; }
  // There is work again: sweeps need not rest.
  void want_sweeps() { sweep_not_before_ns_ = 0; }
  // True: the interval is another one than before.
  bool set_heartbeat_timeout_ms(int64_t timeout_ms);
  int64_t heartbeat_interval_ms() const { return heartbeat_interval_ms_; }

  // Notes which rounds are due by now. A worker that drains only beats.
  void note_due(bool is_draining);
  // Of one that sleeps: nothing but retention, and that seldom.
  void note_due_asleep();

  bool has_work() const { return must_beat_ || must_recover_ || must_sweep_; }
  void send(Flush& flush);

  // The long rounds, retention and the history, one at a time and beside the flushes. Each again
  // with the next tick while there is more to do: the database keeps the pace. Until finish().
  Co<void> run_rounds();
  void finish();

  // A job may have been started.
  void want_jobs() { jobs_at_ns_ = 0; }
  // It falls asleep: no job is open, and it hears of new ones.
  void rest_from_jobs();
  bool must_advance_jobs() const { return !is_draining_ && clock_.now_ns() >= jobs_at_ns_; }
  // When a step is due; never while no job is open, for then the ticks suffice.
  int64_t next_step_ns() const { return are_jobs_open_ && !is_draining_ ? jobs_at_ns_ : never; }
  // A step of a job, by itself, behind all else: the database keeps the pace.
  Co<void> advance_jobs();

 private:
  static constexpr int64_t never = std::numeric_limits<int64_t>::max();

  void send_beat(Flush& flush);
  void send_recovery(Flush& flush);
  void send_sweep(Flush& flush);
  bool has_round() const { return !is_draining_ && (must_retain_ || must_keep_history_); }
  Co<void> retain();
  Co<void> keep_history();

  Clock& clock_;
  Metrics& metrics_;
  DatabaseLink& link_;
  Calls& calls_;
  std::function<void()> on_swept_;
  int64_t heartbeat_interval_ms_ = 5'000;
  int64_t beat_at_ns_ = 0;
  int64_t sweep_not_before_ns_ = 0;
  int64_t retention_at_ns_ = 0;
  int64_t jobs_at_ns_ = 0;
  bool are_jobs_open_ = false;
  bool is_draining_ = false;
  int64_t history_at_ns_ = 0;
  bool must_beat_ = false;
  bool must_recover_ = false;  // with each beat, and again at once while much comes back
  bool must_sweep_ = false;
  bool must_retain_ = false;
  bool must_keep_history_ = false;
  Signal round_is_due_;
  bool is_finished_ = false;
};

}  // namespace sluice
