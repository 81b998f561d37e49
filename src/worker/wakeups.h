// Wakeups lets an idle worker sleep without missing work: it becomes the watcher, keeps the locks
// and the timers on the listening session (sql/functions/6_wakeups/watcher.sql), and wakes its
// owner. It claims nothing.
//
// Thread rule: loop thread only. The owner outlives it; run() must have returned before it is
// destroyed.
#pragma once

#include <limits>
#include <vector>

#include "runtime/backoff.h"
#include "runtime/clock.h"
#include "runtime/signal.h"
#include "worker/database.h"

namespace sluice {

class Wakeups final {
 public:
  // The worker's demand, which decides whether it may sleep.
  enum class Demand {
    claiming,  // a claim is under way or due: nothing to wait for
    full,      // no slot is free: somebody else should be the watcher
    idle,      // free slots and nothing to claim: watch, or sleep while another worker watches
  };

  class Owner {
   public:
    virtual ~Owner() = default;
    virtual Demand demand() const = 0;
    virtual int64_t worker_id() const = 0;
    virtual bool work_remains() const = 0;  // the last claim came back full
    virtual bool is_asleep() const = 0;     // nothing but news ends that; it keeps its own timers
    virtual void wake() = 0;                // there may be work
    virtual void wake(int64_t model) = 0;   // for this model, by id
    virtual void catch_up() = 0;            // notifications may have been missed
  };

  Wakeups(Clock& clock, Database& database, Owner& owner);

  // Runs until stop(), which lets another worker become the watcher.
  Co<void> run();
  void stop();

  // The listening session has changed, or the owner has fallen asleep or woken.
  void note_change() { change_.raise(); }
  // The owner's demand may have changed. It is compared with the demand that run() looked at last,
  // not with that of the last call of this: if it changed and changed back in between, nothing is
  // missed.
  void note_demand();
  // A notification: a task became ready, or there is no watcher.
  void note_work(int64_t model);
  // A claim was answered; the owner's demand is what the claim left of it.
  void note_claimed(size_t tasks);

 private:
  Demand look_at_demand() { return seen_demand_ = owner_.demand(); }
  Co<void> listen_again();
  Co<void> step_aside();
  Co<void> sleep();
  Co<void> try_to_watch();
  Co<void> check_and_sleep();
  Co<void> let_calls_begin();
  void wake_owner();
  void drop_sleeper_locks();
  int64_t after_ms(int64_t ms) const;

  Clock& clock_;
  Database& database_;
  Owner& owner_;
  Signal change_;
  Demand seen_demand_ = Demand::claiming;
  Backoff backoff_;  // of the listening session
  bool stopped_ = false;
  std::vector<int64_t> notified_;  // models, by id; 0: some model
  bool is_watcher_ = false;
  std::vector<int> locks_;
  int64_t woken_at_ns_ = std::numeric_limits<int64_t>::min() / 2;
  bool keeps_locks_ = false;     // the owner was woken after a pause, and may have its fill soon
  bool is_calm_ = false;         // the last look saw nothing to do, and all claims since had tasks
  int64_t look_by_ns_ = 0;       // while it is calm
  int64_t look_again_ms_ = 0;    // grows while looks see work that claims do not get
  bool woken_for_work_ = false;  // the last look saw work, and no claim has brought any since
  bool misses_ = false;          // a relation, in the last look
  int64_t poll_at_ns_ = 0;       // while another one watches: when to look again
};

}  // namespace sluice
