// Wakeups lets an idle worker sleep without missing work: it keeps the watch, the bells and the
// timers on the listening session (sql/functions/45_watch.sql), and wakes its owner. It claims
// nothing.
//
// Thread rule: loop thread only. The owner outlives it; run() must have returned before it is
// destroyed.
#pragma once

#include <random>
#include <vector>

#include "runtime/clock.h"
#include "runtime/signal.h"
#include "worker/database.h"

namespace sluice {

class Wakeups final {
 public:
  // What the worker is doing, as far as sleeping is concerned.
  enum class Appetite {
    claiming,  // a claim is under way or due: nothing to watch for
    full,      // no slot is free: somebody else should have the watch
    sated,     // free slots and nothing to claim: watch, or sleep while another worker watches
  };

  class Owner {
   public:
    virtual ~Owner() = default;
    virtual Appetite appetite() const = 0;
    virtual int64_t worker_id() const = 0;
    virtual bool work_remains() const = 0;  // the last claim came back full
    virtual bool is_asleep() const = 0;     // nothing but news ends that; it keeps its own timers
    virtual void wake() = 0;                // there may be work
    virtual void wake(int64_t model) = 0;   // for this model, by id
    virtual void catch_up() = 0;            // notifications may have been missed
  };

  Wakeups(Clock& clock, Database& database, Owner& owner);

  // Until stop(); leaves the watch to others.
  Task<void> run();
  void stop();

  // The owner's appetite changed, or the listening session did.
  void note_change() { change_.raise(); }
  // A notification: something became ready, or the watch is free.
  void note_work(int64_t model);
  // The last claim brought something.
  void note_claimed() {
    look_again_ms_ = 0;
    woken_for_work_ = false;
  }

 private:
  Task<void> listen_again();
  Task<void> step_aside();
  Task<void> sleep();
  Task<void> try_watch();
  Task<void> look_and_sleep();
  void wake_owner();
  void drop_bells();
  int64_t after_ms(int64_t ms) const;

  Clock& clock_;
  Database& database_;
  Owner& owner_;
  Signal change_;
  std::mt19937_64 random_{std::random_device{}()};
  bool stopped_ = false;
  std::vector<int64_t> notified_;  // models, by id; 0: some model
  bool watching_ = false;
  std::vector<int> bells_;
  int64_t look_again_ms_ = 0;    // grows while looks see work that claims do not get
  bool woken_for_work_ = false;  // the last look saw work, and no claim has brought any since
  int64_t reconnect_pause_ms_ = 0;
  int64_t poll_at_ns_ = 0;  // without the watch: when to look again
};

}  // namespace sluice
