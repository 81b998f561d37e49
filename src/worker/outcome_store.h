// OutcomeStore stores the outcomes of ended calls in the database. It owns them until they are
// stored, across reconnects and refusals, and the ids to announce afterwards. It has three
// statements: the completion, which is sent by itself, the announcement, and the reread: after a
// lost connection it first reads which tasks the worker holds, and stores nothing meanwhile.
//
// One batch at a time, and calls that end meanwhile go in the next (natural batching: an idle
// system stores at once, a busy one hundreds at a time, and there is no timer to tune). An outcome
// that is large goes by itself, and pauses follow, so that others' need not wait behind many.
//
// Thread rule: loop thread only. Its arguments outlive it; run() must have returned, and
// is_storing() be false, before it is destroyed.
#pragma once

#include <functional>
#include <vector>

#include "bounds.h"
#include "runtime/backoff.h"
#include "runtime/signal.h"
#include "worker/announcer.h"
#include "worker/calls.h"
#include "worker/completer.h"
#include "worker/database_link.h"

namespace sluice {

class OutcomeStore final {
 public:
  // `on_stored`: a batch has been answered; its calls, none if they were not stored.
  OutcomeStore(Clock& clock, Metrics& metrics, DatabaseLink& link, const Calls& calls,
               std::function<void(const std::vector<EndedCall>&)> on_stored);

  // Stores what ends while no flush is under way, or at any time if completions have a session of
  // their own: then neither waits for the other. Until finish().
  Co<void> run();
  void finish();

  void add(int64_t worker, EndedCall ended);
  // Those that wait to be stored, not those under way.
  size_t waiting() const { return completer_.size(); }
  bool is_storing() const { return is_storing_; }
  // Nothing is left to store.
  bool empty() const { return completer_.empty() && !is_storing_; }
  // The database has refused one that is still to be stored.
  bool is_refused() const { return is_refused_; }
  bool has_announced() const { return announcer_.empty(); }

  // settings.events.
  void announce(bool events) { announcer_.want(events); }
  // Asks for a reread: the session was lost, and with it the knowledge of which tasks are held.
  // There are more later.
  void want_reread() {
    must_reread_ = true;
    again_ms_ = bounds::reread_again_ms_min;
  }
  bool is_reread_due() const { return again_at_ns_ != 0 && clock_.now_ns() >= again_at_ns_; }
  void reread_again() { must_reread_ = true; }
  bool must_reread() const { return must_reread_; }

  // Looks again whether it can store: an obstacle may be gone.
  void look() { change_.raise(); }
  // Around a flush.
  void begin_flush();
  void end_flush();

  bool has_work() const { return may_reread() || !announcer_.empty(); }
  // Whether it was sent: then nothing that works with tasks may be.
  bool send_reread(Flush& flush);
  void send_announcement(Flush& flush);

 private:
  bool may_take_large() const { return clock_.now_ns() >= large_not_before_ns_; }
  bool may_store() const;
  bool may_take_aside() const;
  int64_t look_at_ns() const;
  bool must_pause() const;
  void note_time(const Completer::Batch& batch, int64_t took_ns);
  bool may_reread() const { return must_reread_ && !is_storing_; }
  void begin();
  Co<void> store(Completer::Batch batch, Co<Result<std::vector<Applied>>> completion,
                 int64_t begun_ns);
  void note_stored(const Completer::Batch& batch, const std::vector<Applied>& applied);
  void note_failed(Completer::Batch batch, const Error& error);
  void on_reread(const Result<std::vector<TaskKey>>& held);

  Clock& clock_;
  Metrics& metrics_;
  DatabaseLink& link_;
  const Calls& calls_;
  std::function<void(const std::vector<EndedCall>&)> on_stored_;
  Completer completer_;
  Announcer announcer_;
  Signal change_;  // some to store, or they may be; run() waits for it
  bool is_flushing_ = false;
  bool is_storing_ = false;
  bool must_reread_ = false;
  int64_t again_ms_ = 0;     // from the last reread to the next
  int64_t again_at_ns_ = 0;  // 0: none is due
  bool finishing_ = false;
  bool is_refused_ = false;
  Backoff aside_backoff_;
  int64_t aside_not_before_ns_ = 0;
  int64_t large_not_before_ns_ = 0;
  bool has_stored_small_ = false;  // since the last large one
};

}  // namespace sluice
