// The database as a worker sees it: the few SQL functions of the worker protocol, by name, over a
// few sessions. One of the three seams: the worker's logic runs against a fake of this in unit
// tests. It decides nothing and repeats nothing.
//
// Thread rule: loop thread only. Every call is sent when it is made; the Co only waits for the
// answer, so that several made in a row travel in one flush, each in a transaction of its own.
// Errors: values; Error::reconnect means that the session is gone and that it is unknown whether
// the statement was committed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/limits_left.h"
#include "backends/outcome.h"
#include "result.h"
#include "runtime/co.h"
#include "runtime/memory_budget.h"

namespace sluice {

// Whether a statement missed a table or sequence: those of a model that was deleted while it ran,
// which the next one does not know. One that is gone for good is missed again.
inline bool misses_relation(const Error& error) {
  return error.code == "42P01" ||
         (error.code == "XX000" && error.message.starts_with("could not open relation"));
}

// One claim of one task: the fence grows with every claim, so that a late result is told from a
// living one.
struct TaskKey {
  int64_t task_id = 0;
  int64_t fence = 0;
  auto operator<=>(const TaskKey&) const = default;
};

struct ClaimedTask {
  TaskKey key;
  int attempt = 1;  // this one counted
  int priority = 0;
  std::string model;
  std::optional<int64_t>
      send_within_ms;         // from the moment the claim was sent; nullopt: no permit, no deadline
  int64_t request_bytes = 0;  // of its prompt or request
  bool has_body = false;      // false: ask requests() for what follows
  Question question;
  std::optional<std::string> traceparent;
  std::optional<int64_t> queued_ms;  // of a task with a traceparent: before this claim
  int64_t timeout_ms = 0;
};

struct EndedCall {
  TaskKey key;
  Outcome outcome;
  std::shared_ptr<MemoryBudget::Hold> memory = nullptr;  // of its answer; given back when stored
  std::string model = {};  // whose turn it takes; empty: none is known
};

struct Applied {
  TaskKey key;
  bool applied = false;  // false: no longer this worker's; kept for audit, changes nothing
};

// The rest of a model's quota, as its backend reports it.
struct ModelLimits {
  std::string model;
  LimitsLeft left;
};

struct Configuration {
  std::vector<Model> models;  // those that this worker serves
  int64_t heartbeat_timeout_ms = 15'000;
  int64_t idle_look_ms = 60'000;  // asleep
  bool events = false;            // the ids of finished tasks are announced
  // Of those models the ones that somebody has to open: "credential", "billing", "refused" or "by
  // hand".
  std::map<std::string, std::string> parked;
};

// The answer of sluice.take_sleeper_locks to the watcher.
struct SleepCheck {
  std::vector<int> locks;
  bool complete = false;
  bool work = false;
  std::optional<int64_t> wake_in_ms;
};

// The answer of sluice.fall_asleep to a worker that wants to sleep.
struct Rest {
  bool asleep = false;
  int64_t wake_in_ms = 315'360'000'000;  // ten years
};

// How the worker hears of work.
enum class ListenMode {
  listen,  // by notification
  poll,    // a pooler is in between, which loses notifications and locks: by looking once a second
  scarce,  // the server's queue of notifications is half full, so nobody notifies: the same
  lost,    // the listening session is gone or does not answer: by looking, until it is back
};

class Database {
 public:
  virtual ~Database() = default;

  // The working session: everything but the locks. connect also checks that this worker serves the
  // schema.
  virtual Co<Result<void>> connect() = 0;
  virtual bool is_connected() const = 0;
  // It has left a statement unanswered for so long that the session may be dumb.
  virtual bool is_doubtful() const = 0;
  // Whether complete() has a session of its own, so that it and other statements do not wait for
  // each other.
  virtual bool stores_apart() const = 0;
  // Replaces damaged unlogged sequences and returns how many. Call it again until it returns 0.
  virtual Co<Result<int64_t>> mend_sequences() = 0;
  virtual Co<Result<int64_t>> register_worker(std::string name, int slots,
                                              std::vector<std::string> models) = 0;
  virtual Co<Result<Configuration>> configuration(std::vector<std::string> models) = 0;
  virtual Co<Result<std::vector<TaskKey>>> heartbeat(int64_t worker) = 0;
  virtual Co<Result<int64_t>> recover(int64_t worker) = 0;
  // Falls asleep: until its next heartbeat nobody expects one. Refused if there is anything to do.
  virtual Co<Result<Rest>> fall_asleep(int64_t worker) = 0;
  virtual Co<Result<int64_t>> sweep() = 0;
  // A round of retention, of about a second at most; returns how much it removed. It and
  // keep_history() have a session of their own, so that no claim waits for them; it is opened for
  // them, and one of them runs at a time.
  virtual Co<Result<int64_t>> retain() = 0;
  // Makes a step of some job, of some 4 ms, if one is due; returns in how many ms to ask again,
  // below 0: no job is open.
  virtual Co<Result<int64_t>> advance_jobs() = 0;
  // Adds what has ended to the history, for about a second; returns whether there is more.
  virtual Co<Result<bool>> keep_history() = 0;
  // Closes the session of these two until the next of them.
  virtual void end_rounds() = 0;
  // Moves due tasks into their lines; returns how many.
  virtual Co<Result<int64_t>> wake() = 0;
  // `shares`: the most tasks to claim of each of `models`; `send_within_ms`: how long their permits
  // should be good for (nullopt: the usual time); `is_apart`: one model's error ends only what is
  // claimed of it.
  virtual Co<Result<std::vector<ClaimedTask>>> claim(int64_t worker,
                                                     std::vector<std::string> models,
                                                     std::vector<int> shares, int max_tasks,
                                                     std::optional<int64_t> send_within_ms,
                                                     bool is_apart) = 0;
  // Claims only tasks of a priority above 0.
  virtual Co<Result<std::vector<ClaimedTask>>> claim_urgent(int64_t worker,
                                                            std::vector<std::string> models,
                                                            int max_tasks,
                                                            std::optional<int64_t> send_within_ms,
                                                            bool is_apart) = 0;
  // Asks for an extra call for each of these calls under way; returns those that may have one. An
  // extra call must be sent within the usual time after this.
  virtual Co<Result<std::vector<TaskKey>>> hedge(int64_t worker,
                                                 const std::vector<TaskKey>& calls) = 0;
  // The leases of this worker, without bodies.
  virtual Co<Result<std::vector<TaskKey>>> held_leases(int64_t worker) = 0;
  virtual Co<Result<std::vector<ClaimedTask>>> requests(int64_t worker,
                                                        std::vector<int64_t> ids) = 0;
  // The same of one task, in a session of its own, so that no claim waits for megabytes. It must
  // be opened, which changes nothing if it is; while there can be none, the working one has to do.
  virtual Co<void> open_for_large_requests() = 0;
  virtual Co<Result<std::vector<ClaimedTask>>> large_request(int64_t worker, int64_t id) = 0;
  // Closes that session; what is under way there fails.
  virtual void end_large_requests() = 0;
  virtual Co<Result<std::vector<Applied>>> complete(int64_t worker,
                                                    const std::vector<EndedCall>& ended) = 0;
  // The same of a large outcome, in a session of its own, so that no other outcome waits for it.
  // That is opened and closed like the one for large requests; it is not the same, for there a
  // permit would pass.
  virtual Co<void> open_for_large_outcomes() = 0;
  virtual Co<Result<std::vector<Applied>>> complete_large(int64_t worker,
                                                          const std::vector<EndedCall>& ended) = 0;
  virtual void end_large_outcomes() = 0;
  // Notifies listeners of those tasks that have ended; call it when their completion has committed.
  // Returns how many have.
  virtual Co<Result<int64_t>> announce(const std::vector<int64_t>& ids) = 0;
  // Reports that the database's clock has jumped ahead by `jump_us` since it said `sound_us`: all
  // quotas then start empty, unless another worker has reported this jump. Returns the clock's
  // time, like `sound_us` in microseconds since the epoch.
  virtual Co<Result<int64_t>> note_clock_jump(int64_t jump_us, int64_t sound_us) = 0;
  // Lowers the models' buckets to what is left; never raises one. In ascending order of their ids,
  // the order in which all locks of several models are taken.
  virtual Co<Result<void>> drain_buckets(const std::vector<ModelLimits>& limits) = 0;
  virtual Co<Result<bool>> unfinished(int64_t worker) = 0;
  virtual Co<Result<int64_t>> unregister_worker(int64_t worker) = 0;

  // The listening session: a direct one, because its locks and notifications belong to it.
  virtual Co<Result<void>> listen() = 0;
  virtual bool is_listening() const = 0;  // the session is there, even if it is mute
  virtual ListenMode listen_mode() const = 0;
  // Called once a second, and with each look of a sleeper: asks whether there is space for
  // notifications, unless the session is busy; closes the session if it does not answer.
  virtual void check_listening() = 0;
  virtual Co<Result<bool>> become_watcher(int64_t worker) = 0;
  virtual Co<Result<void>> resign_watcher(int64_t worker, bool work_remains) = 0;
  virtual Co<Result<SleepCheck>> take_sleeper_locks(int64_t worker, std::vector<int> held) = 0;
  virtual Co<Result<void>> drop_sleeper_locks(std::vector<int> locks) = 0;

  virtual void close() = 0;  // all sessions

  // Called from within the sessions' callbacks; they only note the fact.
  // A task became ready for a model, by id; 0: for some model, or there is no watcher.
  std::function<void(int64_t model)> on_work;
  // Some call of this worker, by the worker's id, shall be aborted; the heartbeat says which.
  std::function<void(int64_t worker)> on_abort;
  // The database's clock, in microseconds since the epoch, read by a statement that was sent at
  // `sent_ns`: before the answer that it came with. Every heartbeat, claim and granted extra call.
  std::function<void(int64_t reading_us, int64_t sent_ns)> on_clock = [](int64_t, int64_t) {};
  std::function<void()> on_configuration;   // models, routes, settings or tenants' quotas changed
  std::function<void()> on_scarce = [] {};  // nobody notifies any more, or they do again
  std::function<void()> on_lost;            // a session is gone
};

}  // namespace sluice
