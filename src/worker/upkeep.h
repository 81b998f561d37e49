// Upkeep does a worker's rounds for the fleet: it sends heartbeats, takes back leases of dead
// workers, sweeps, runs retention and keeps the history. It owns the times of these rounds and
// their statements.
//
// Thread rule: loop thread only. Its arguments outlive it.
#pragma once

#include <cstdint>
#include <functional>

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

  bool has_work() const { return must_beat_ || must_sweep_ || must_retain_ || must_keep_history_; }
  void send(Flush& flush);
  bool must_retain() const { return must_retain_; }
  // By itself, behind all else. Again at once while there is something to remove: the database
  // keeps the pace.
  Co<void> retain();
  bool must_keep_history() const { return must_keep_history_; }
  // The same. Again at once while there is more to count.
  Co<void> keep_history();

 private:
  void send_beat(Flush& flush);
  void send_recovery(Flush& flush);
  void send_sweep(Flush& flush);

  Clock& clock_;
  Metrics& metrics_;
  DatabaseLink& link_;
  Calls& calls_;
  std::function<void()> on_swept_;
  int64_t heartbeat_interval_ms_ = 5'000;
  int64_t beat_at_ns_ = 0;
  int64_t sweep_not_before_ns_ = 0;
  int64_t retention_at_ns_ = 0;
  int64_t history_at_ns_ = 0;
  bool must_beat_ = false;
  bool must_sweep_ = false;
  bool must_retain_ = false;
  bool must_keep_history_ = false;
};

}  // namespace sluice
