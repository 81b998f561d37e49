// Worker serves models: it claims tasks, calls their backends and records the outcomes, holding no
// database connection while a model thinks. It owns the calls in flight and everything that is not
// stored yet; clock, database, HTTP client, metrics and spans are given to it and outlive it.
//
// The life of a task is Worker::live(). Outcomes are stored by Worker::store(), everything else
// that works with the database goes through Worker::flush(); each sends one batch at a time, and
// what comes meanwhile goes in its next (natural batching: an idle system stores at once, a busy
// one hundreds at a time, and there is no timer to tune).
//
// Thread rule: loop thread only. run() must have returned before it is destroyed.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "worker/announcer.h"
#include "worker/batcher.h"
#include "worker/call.h"
#include "worker/claimer.h"
#include "worker/completer.h"
#include "worker/concurrency.h"
#include "worker/hedging.h"
#include "worker/metrics.h"
#include "worker/server_clock.h"
#include "worker/wakeups.h"

namespace sluice {

struct WorkerOptions {
  std::string name;
  int slots = 400;
  std::vector<std::string> models;  // empty: all
  bool once = false;                // end when no task of its models is unfinished
  int64_t drain_timeout_ms = 30'000;
  SecretBounds secrets;  // what models may refer to, and where it may go
};

class Worker final : private Wakeups::Owner {
 public:
  // `spans`: null when they go nowhere.
  Worker(WorkerOptions options, Clock& clock, Database& database, HttpClient& http,
         Metrics& metrics, SpanExporter* spans = nullptr);
  ~Worker() override;

  // Serves until drained. An error: the first connection failed, or the schema is not one we serve.
  Task<Result<void>> run();

  // Stops claiming; calls under way may finish until the drain time-out, then they are handed back
  // uncharged.
  void drain();
  // Hands back at once.
  void leave();

  // Why it cannot take tasks now; empty when it can.
  std::string not_ready_because() const;
  ListenMode listen_mode() const { return database_.listen_mode(); }
  // Nothing is in its hands, and it looks for nothing.
  bool is_idle() const;

 private:
  struct Flush;

  // The three phases.
  Task<void> live(std::shared_ptr<Call> call);
  Task<Answer> answer_of(Call& call);
  Task<Answer> ask(Call& call, SharedModel model);
  Task<Answer> race(Call& call, SharedModel model);
  Task<void> flush();
  Task<void> retain();
  Task<void> store();
  void begin_storing();
  Task<void> finish_storing(Completer::Batch batch, Task<Result<std::vector<Applied>>> completion,
                            int64_t begun_ns);
  Task<void> enroll();
  void send(Flush& flush);
  void send_claim(Flush& flush);
  void send_urgent_claim(Flush& flush);
  void send_for_bodies(Flush& flush);
  void send_announcement(Flush& flush);
  Task<void> receive_upkeep(Flush& flush);
  Task<void> receive_tasks(Flush& flush);

  // What a flush brought.
  void on_mended(const Result<int64_t>& mended);
  void on_jump_noted(const Flush& flush, const Result<int64_t>& noted);
  void on_beat(const Result<std::vector<TaskKey>>& unwanted);
  void on_completed(Completer::Batch batch, const Result<std::vector<Applied>>& applied);
  void on_claimed(const Flush& flush, Result<std::vector<ClaimedTask>> tasks);
  void on_claimed_urgent(const Flush& flush, Result<std::vector<ClaimedTask>> tasks);
  int64_t send_by(const Flush& flush, int64_t within_ms) const;
  void begin_all(const Flush& flush, std::vector<ClaimedTask> tasks);
  void on_hedged(const Flush& flush, const Result<std::vector<TaskKey>>& granted);
  void on_bodies(const std::vector<TaskKey>& asked, Result<std::vector<ClaimedTask>> tasks);
  void on_reread(const Result<std::vector<TaskKey>>& held);
  void on_configuration(const Result<Configuration>& configuration);
  void warn_of_unknown_models(const Configuration& configuration);
  void say_what_is_parked(const Configuration& configuration);
  void on_unfinished(const Result<bool>& unfinished);
  void on_rest(const Result<Rest>& rest);

  Task<Result<void>> reconnect();
  Task<void> keep_time();
  int64_t next_tick_ns() const;
  void note_what_is_due();
  void note_what_is_due_asleep();
  bool may_fall_asleep() const;
  void rouse();
  Task<void> watch();
  Task<void> finish();

  void begin(ClaimedTask task, std::optional<int64_t> send_by_ns);
  static void abort(Call& call);
  bool ask_for_one_more(const Model& model, const TaskKey& key);
  const std::vector<std::string>& models_to_claim() const;
  int claim_size(const std::vector<int>& shares) const;
  void pause_flushes();
  int slots_free() const;
  int urgent_slots_free() const;
  std::vector<std::string> models_for_urgent() const;
  bool looks_for_urgent() const;
  bool may_claim() const;
  bool has_flush_work() const;
  bool may_reread() const { return due_.reread && !is_storing_; }
  bool may_store() const;
  bool is_finished() const;
  void note_error(const Error& error, std::string_view doing);
  void note_appetite();
  void note_slot_wait();

  // Wakeups::Owner
  Wakeups::Appetite appetite() const override;
  int64_t worker_id() const override { return worker_; }
  bool work_remains() const override { return !claimer_.is_sated(); }
  bool is_asleep() const override { return sleep_ == Sleep::granted; }
  void wake() override;
  void wake(int64_t model) override;
  void catch_up() override;

  WorkerOptions options_;
  Clock& clock_;
  Database& database_;
  HttpClient& http_;
  Metrics& metrics_;
  SpanExporter* spans_;
  Claimer claimer_;
  Concurrency concurrency_;
  Hedging hedging_;
  Batcher batcher_;
  Completer completer_;
  Announcer announcer_;
  Wakeups wakeups_;
  Secrets secrets_;
  LimitNews limit_news_;
  ServerClock server_clock_;
  std::mt19937_64 random_{std::random_device{}()};

  int64_t worker_ = 0;
  std::map<std::string, SharedModel, std::less<>> models_;
  std::vector<std::string> model_names_;  // of all of them
  bool has_ceiling_ = false;  // one of them may be full: the fleet's calls of it are bounded
  std::set<std::string> unknown_models_;       // of those it was told to serve; each is said once
  std::map<std::string, std::string> parked_;  // likewise
  int64_t heartbeat_interval_ms_ = 5'000;
  int64_t idle_look_ms_ = 60'000;
  std::map<TaskKey, std::shared_ptr<Call>> calls_;
  std::set<TaskKey> bodies_wanted_;

  // What the next flush must carry; set by timers, notifications and losses.
  struct Due {
    bool registration = false;
    bool mending = false;
    bool clock_jump = false;
    bool beat = false;
    bool sweep = false;
    bool retention = false;
    bool configuration = false;
    bool reread = false;
    bool unfinished = false;
    bool rest = false;
  };
  Due due_;

  Signal work_;          // something for a flush; run() waits for it
  Signal outcomes_;      // some to store; store() waits for it
  Signal tick_;          // ends the wait of keep_time()
  Signal pause_;         // ends the pause before a reconnect
  Signal helpers_done_;  // keep_time(), watch() and store() have ended
  int helpers_ = 0;
  bool is_flushing_ = false;
  bool is_storing_ = false;
  int64_t sweep_not_before_ns_ = 0;
  // News end it, also while the answer is on its way.
  enum class Sleep { none, asked_for, granted };
  Sleep sleep_ = Sleep::none;
  int64_t beat_at_ns_ = 0;
  int64_t busy_at_ns_ = 0;   // of what it did last
  int64_t look_at_ns_ = 0;   // asleep: when to ask again
  int64_t alarm_at_ns_ = 0;  // asleep: when a task is due
  bool has_looked_ = false;  // has claimed a task, or knows that there is none
  bool draining_ = false;
  bool leaving_ = false;
  bool given_up_ = false;  // leaving took too long
  bool finishing_ = false;
  Wakeups::Appetite last_appetite_ = Wakeups::Appetite::claiming;
  std::optional<int64_t> slot_wanted_since_ns_;
  int64_t retention_at_ns_ = 0;
  int64_t reconnect_pause_ms_ = 0;
  int unknown_errors_ = 0;  // in a row, of completions
  int64_t flush_not_before_ns_ = 0;
  int64_t urgent_look_at_ns_ = 0;
  Clock::TimerId leave_timer_ = 0;
};

}  // namespace sluice
