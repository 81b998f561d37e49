// OutcomeStore stores the outcomes of ended calls in the database. It owns them until they are
// stored, across reconnects and refusals, and the ids to announce afterwards. It has three
// statements: the completion, which is sent by itself, the announcement, and the reread: after a
// lost connection it first reads which tasks the worker holds, and stores nothing meanwhile.
//
// One batch at a time, and calls that end meanwhile go in the next (natural batching: an idle
// system stores at once, a busy one hundreds at a time, and there is no timer to tune). Outcomes
// that are large have a lane of their own, with its own session, and go one by one, so that others
// wait for none of them.
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
  Co<void> run() { return run(small_); }
  // What is large, at any time.
  Co<void> run_large() { return run(large_); }
  void finish();

  void add(int64_t worker, EndedCall ended);
  // Those that wait to be stored, not those under way.
  size_t waiting() const { return small_.completer.size() + large_.completer.size(); }
  bool is_storing() const { return small_.is_storing || large_.is_storing; }
  // Nothing is left to store.
  bool empty() const { return waiting() == 0 && !is_storing(); }
  // The database has refused one that is still to be stored.
  bool is_refused() const { return small_.is_refused || large_.is_refused; }
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
  void look();
  // Around a flush.
  void begin_flush();
  void end_flush();

  bool has_work() const { return may_reread() || !announcer_.empty(); }
  // Whether it was sent: then nothing that works with tasks may be.
  bool send_reread(Flush& flush);
  void send_announcement(Flush& flush);

 private:
  struct Lane {
    bool is_large;
    Completer completer = {};
    Signal change = {};  // some to store, or they may be; run() waits for it
    bool is_storing = false;
    const Completer::Batch* under_way = nullptr;
    bool is_refused = false;
    Backoff aside_backoff = {};
    int64_t aside_not_before_ns = 0;
    // Of the large ones, whose errors are in nobody else's way.
    Backoff backoff = {};
    int64_t not_before_ns = 0;
    int64_t end_at_ns = 0;  // when their session is closed; 0: there is none
  };

  Co<void> run(Lane& lane);
  bool may_store(const Lane& lane) const;
  bool may_take_aside(const Lane& lane) const;
  int64_t look_at_ns(const Lane& lane) const;
  void end_idle_session(Lane& lane);
  // The large one that is under way, of which on_reread() knows, is not waited for.
  bool may_reread() const { return must_reread_ && !small_.is_storing; }
  void begin(Lane& lane);
  Completer::Batch take(Lane& lane) const;
  Co<void> store_large(Lane& lane);
  Co<void> store(Lane& lane, Completer::Batch batch, Co<Result<std::vector<Applied>>> completion,
                 int64_t begun_ns);
  void note_stored(Lane& lane, const Completer::Batch& batch, const std::vector<Applied>& applied);
  void note_failed(Lane& lane, Completer::Batch batch, const Error& error);
  void note_error(Lane& lane, Error error);
  static bool contains(const Lane& lane, const TaskKey& key);
  void on_reread(const Result<std::vector<TaskKey>>& held);

  Clock& clock_;
  Metrics& metrics_;
  DatabaseLink& link_;
  const Calls& calls_;
  std::function<void(const std::vector<EndedCall>&)> on_stored_;
  Lane small_{false};
  Lane large_{true};
  Announcer announcer_;
  bool is_flushing_ = false;
  bool must_reread_ = false;
  int64_t again_ms_ = 0;     // from the last reread to the next
  int64_t again_at_ns_ = 0;  // 0: none is due
  bool finishing_ = false;
};

}  // namespace sluice
