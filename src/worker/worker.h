// Worker serves models: it claims tasks, calls their backends and records the outcomes. Its few
// sessions serve all calls together; no call holds one. It owns the parts that do this and its own
// life: connecting, keeping time, sleeping, draining, leaving. Clock, database, HTTP client,
// metrics and spans are given to it and outlive it.
//
// The life of a task is Calls::live(). OutcomeStore stores outcomes; Wakeups has the listening
// session. Everything else that uses the database goes through flush(), which has each part send
// what is due; each statement and the effect of its answer stand together, in the part that owns
// the state.
//
// Thread rule: loop thread only. run() must have returned before it is destroyed.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "bounds.h"
#include "worker/calls.h"
#include "worker/database_link.h"
#include "worker/intake.h"
#include "worker/outcome_store.h"
#include "worker/served_models.h"
#include "worker/sleep.h"
#include "worker/upkeep.h"
#include "worker/wakeups.h"

namespace sluice {

struct WorkerOptions {
  std::string name;
  int slots = 400;
  size_t extra_calls_max = std::numeric_limits<size_t>::max();  // beside these (hedge_after)
  std::vector<std::string> models;                              // empty: all
  bool once = false;  // end when no task of its models is unfinished
  int64_t drain_timeout_ms = 30'000;
  int64_t request_bytes_max = bounds::request_memory_bytes_default;  // of large requests together
  SecretBounds secrets;  // what models may refer to, and where it may go
};

class Worker final : private Wakeups::Owner {
 public:
  // `spans`: null if none are exported.
  Worker(WorkerOptions options, Clock& clock, Database& database, HttpClient& http,
         Metrics& metrics, SpanExporter* spans = nullptr);
  ~Worker() override;

  // Serves until drained. An error: the first connection failed, or this worker does not serve the
  // schema.
  Co<Result<void>> run();

  // Stops claiming; calls under way may finish until the drain time-out, then they are handed back
  // uncharged.
  void drain();
  // Hands back at once.
  void leave();

  // Why it cannot take tasks now; empty when it can.
  std::string not_ready_because() const;
  ListenMode listen_mode() const { return database_.listen_mode(); }
  // Whether it has no task and looks for none.
  bool is_idle() const;
  // The memory of large requests.
  int64_t request_bytes() const { return calls_.request_bytes(); }

 private:
  // The worker's loop: one flush after the other, each with everything that is due.
  void hear_database();
  Co<Result<void>> reconnect();
  Co<void> wait_for_work();
  bool has_flush_work() const;
  Co<void> flush();
  Co<void> converse();
  void send(Flush& flush);
  void send_configuration(Flush& flush);
  void send_question_of_end(Flush& flush);
  void send_question_of_rest(Flush& flush);
  void on_configuration(const Result<Configuration>& configuration);
  void on_unfinished(const Result<bool>& unfinished);
  void on_rest(const Result<Rest>& rest);
  void on_scarce();

  // Run beside the loop.
  Co<void> help(Co<void> work);
  Co<void> keep_time();
  int64_t next_tick_ns() const;
  void note_what_is_due();
  void note_what_is_due_asleep();
  bool may_fall_asleep() const;
  void rouse();

  bool is_finished() const;
  Co<void> finish();
  void note_demand();

  // Wakeups::Owner
  Wakeups::Demand demand() const override;
  int64_t worker_id() const override { return link_.worker(); }
  bool work_remains() const override { return !intake_.is_idle(); }
  bool is_asleep() const override { return sleep_.is_asleep(); }
  void wake() override;
  void wake(int64_t model) override;
  void catch_up() override;

  WorkerOptions options_;
  Clock& clock_;
  Database& database_;
  Metrics& metrics_;
  DatabaseLink link_;
  ServedModels models_;
  Calls calls_;
  OutcomeStore outcomes_;
  Intake intake_;
  Upkeep upkeep_;
  Sleep sleep_;
  Wakeups wakeups_;

  // Statements that the next flush must send in addition to those of the parts.
  struct Due {
    bool configuration = false;
    bool unfinished = false;
    bool rest = false;
  };
  Due due_;

  Signal tick_;          // ends the wait of keep_time()
  Signal helpers_done_;  // all that run beside the loop have ended
  int helpers_ = 0;
  bool draining_ = false;
  bool leaving_ = false;
  bool given_up_ = false;  // leaving took too long
  bool is_flushing_ = false;
  bool finishing_ = false;
  Clock::TimerId leave_timer_ = 0;
};

}  // namespace sluice
