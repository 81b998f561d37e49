// A database in memory: what tests put into `queue` is claimed, what is completed is written down.
// It can hold its replies back, lose its connection, and refuse, so that the worker's logic is
// tried without PostgreSQL.
#pragma once

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bounds.h"
#include "runtime/signal.h"
#include "worker/database.h"

namespace sluice {

class FakeDatabase final : public Database {
 public:
  // Set by the test.
  std::deque<ClaimedTask> queue;  // ready to be claimed
  std::deque<ClaimedTask> later;  // moved to the queue by wake
  Configuration served;
  bool reachable = true;
  bool watch_is_free = true;
  SleepCheck sleep_check;             // take_sleeper_locks answers this; work follows the queue,
  bool looks_in_time = true;          // unless the look was before the work
  Rest rest;                          // fall_asleep answers this
  std::vector<TaskKey> unwanted;      // the next heartbeat answers this
  std::deque<Error> complete_errors;  // the next completions end so, without being stored
  std::deque<Error> large_complete_errors;
  std::deque<Error> claim_errors;
  std::deque<Error> look_errors;
  std::deque<Error> announce_errors;
  std::deque<Error> large_errors;
  std::set<int64_t> damaged_tasks;  // their outcomes are refused, whatever they say
  std::set<int64_t> poison;  // outcomes of these tasks are refused, unless they are plain failures
  int64_t sent_ns = 0;       // when they were sent
  int64_t now_us = 0;        // the database's clock; heartbeats and claims read it
  int64_t damaged = 0;       // sequences that mend_sequences makes anew
  bool grants_hedges = true;
  bool has_unfinished = true;
  bool apart = false;         // completions have a session of their own
  bool pooled = false;        // no notifications
  bool mute = false;          // nor answers of the listening session
  bool doubtful = false;      // a statement has waited for its answer for long
  int64_t job_pause_ms = -1;  // what a step of a job says: no job is open
  int64_t removable = 0;      // what the next round of retention removes
  int64_t lost = 0;           // leases of dead workers, for recover to take back
  int64_t uncounted = 0;      // ends that the next look of the history leaves

  // Read by the test.
  std::vector<std::vector<EndedCall>> batches;     // stored completions
  std::vector<int> claims;                         // how many were asked for
  std::vector<bool> claims_apart;                  // and whether models did not share errors
  std::vector<std::optional<int64_t>> allowances;  // that were asked for with them
  std::vector<std::string> log;                    // names of the calls, in order
  std::map<TaskKey, ClaimedTask> leases;
  std::vector<ModelLimits> drained;
  std::vector<std::vector<int64_t>> announced;
  int registrations = 0;
  bool watched = false;

  // Replies wait until release(); those made meanwhile too. Of all calls, or of those of a name.
  void hold() { held_ = true; }
  void hold(const std::string& name) { held_names_.insert(name); }
  void release() {
    held_ = false;
    held_names_.clear();
    for (Held& held : waiting_) held.released.raise();
  }
  // Those of calls of that name that are awaited now; all others still wait.
  void release(const std::string& name) {
    for (Held& held : waiting_) {
      if (held.name != name) continue;
      held.waits = false;
      held.released.raise();
    }
  }
  // The connections break: replies under way become "outcome unknown".
  void lose() {
    connected_ = listening_ = watched = false;
    ++epoch_;
    on_lost();
    release();
  }
  void notify(int64_t model = 0) { on_work(model); }

  int stored() const {
    size_t count = 0;
    for (const auto& batch : batches) count += batch.size();
    return static_cast<int>(count);
  }
  int called(const std::string& name) const {
    return static_cast<int>(std::count(log.begin(), log.end(), name));
  }

  // Database
  Co<Result<void>> connect() override {
    log.emplace_back("connect");
    connected_ = reachable;
    if (reachable) return reply(Result<void>());
    return reply(Result<void>(tl::unexpected(gone())));
  }
  bool is_connected() const override { return connected_; }
  bool is_doubtful() const override { return doubtful; }
  bool stores_apart() const override { return apart; }
  Co<Result<int64_t>> mend_sequences() override {
    log.emplace_back("mend");
    return reply(Result<int64_t>(std::exchange(damaged, 0)));
  }
  Co<Result<int64_t>> register_worker(std::string, int, std::vector<std::string>) override {
    log.emplace_back("register");
    return reply(Result<int64_t>(100 + ++registrations));
  }
  Co<Result<Configuration>> configuration(std::vector<std::string>) override {
    log.emplace_back("configuration");
    return reply(Result<Configuration>(served));
  }
  Co<Result<std::vector<TaskKey>>> heartbeat(int64_t) override {
    log.emplace_back("heartbeat");
    on_clock(now_us, sent_ns);
    return reply(Result<std::vector<TaskKey>>(std::exchange(unwanted, {})));
  }
  Co<Result<int64_t>> recover(int64_t) override {
    log.emplace_back("recover");
    const int64_t taken = std::min<int64_t>(lost, bounds::recovered_rows_max);
    lost -= taken;
    return reply(Result<int64_t>(taken));
  }
  Co<Result<Rest>> fall_asleep(int64_t) override {
    log.emplace_back("fall_asleep");
    return reply(Result<Rest>(rest));
  }
  Co<Result<int64_t>> sweep() override { return reply(Result<int64_t>(0)); }
  Co<Result<int64_t>> advance_jobs() override {
    log.emplace_back("advance_jobs");
    return reply(Result<int64_t>(job_pause_ms));
  }
  Co<Result<int64_t>> retain() override {
    log.emplace_back("retain");
    return reply(Result<int64_t>(std::exchange(removable, 0)));
  }
  void end_rounds() override {}
  Co<Result<bool>> keep_history() override {
    log.emplace_back("keep_history");
    return reply(Result<bool>(std::exchange(uncounted, 0) > 0));
  }
  Co<Result<int64_t>> wake() override {
    log.emplace_back("wake");
    const auto moved = static_cast<int64_t>(later.size());
    for (ClaimedTask& task : later) queue.push_back(std::move(task));
    later.clear();
    return reply(Result<int64_t>(moved));
  }
  Co<Result<std::vector<ClaimedTask>>> claim(int64_t, std::vector<std::string> models,
                                             std::vector<int> shares, int max_tasks,
                                             std::optional<int64_t> send_within_ms,
                                             bool is_apart) override {
    log.emplace_back("claim");
    allowances.push_back(send_within_ms);
    claims_apart.push_back(is_apart);
    on_clock(now_us, sent_ns);
    claims.push_back(max_tasks);
    if (!claim_errors.empty()) {
      const Error error = claim_errors.front();
      claim_errors.pop_front();
      return reply(Result<std::vector<ClaimedTask>>(tl::unexpected(error)));
    }
    std::vector<ClaimedTask> tasks;
    for (auto task = queue.begin(); task != queue.end();) {
      const auto model = std::find(models.begin(), models.end(), task->model) - models.begin();
      if (static_cast<int>(tasks.size()) == max_tasks) break;
      if (model == std::ssize(models) || shares[static_cast<size_t>(model)]-- <= 0) {
        ++task;
        continue;
      }
      if (task->send_within_ms && send_within_ms) task->send_within_ms = send_within_ms;
      leases[task->key] = *task;
      tasks.push_back(*task);
      task = queue.erase(task);
    }
    return reply(Result<std::vector<ClaimedTask>>(std::move(tasks)));
  }
  Co<Result<std::vector<ClaimedTask>>> claim_urgent(int64_t, std::vector<std::string> models,
                                                    int max_tasks, std::optional<int64_t>,
                                                    bool is_apart) override {
    log.emplace_back("claim_urgent");
    claims_apart.push_back(is_apart);
    std::vector<ClaimedTask> tasks;
    for (auto task = queue.begin(); task != queue.end();) {
      if (std::ssize(tasks) == max_tasks) break;
      if (task->priority <= 0 ||
          std::find(models.begin(), models.end(), task->model) == models.end()) {
        ++task;
        continue;
      }
      leases[task->key] = *task;
      tasks.push_back(*task);
      task = queue.erase(task);
    }
    return reply(Result<std::vector<ClaimedTask>>(std::move(tasks)));
  }
  Co<Result<std::vector<TaskKey>>> hedge(int64_t, const std::vector<TaskKey>& calls) override {
    log.emplace_back("hedge");
    std::vector<TaskKey> granted;
    for (const TaskKey& key : calls) {
      if (grants_hedges && leases.contains(key)) granted.push_back(key);
    }
    return reply(Result<std::vector<TaskKey>>(std::move(granted)));
  }
  Co<Result<std::vector<TaskKey>>> held_leases(int64_t) override {
    log.emplace_back("held_leases");
    std::vector<TaskKey> keys;
    for (const auto& [key, task] : leases) keys.push_back(key);
    return reply(Result<std::vector<TaskKey>>(std::move(keys)));
  }
  Co<Result<std::vector<ClaimedTask>>> requests(int64_t, std::vector<int64_t> ids) override {
    log.emplace_back("requests");
    std::vector<ClaimedTask> tasks;
    for (auto [key, task] : leases) {
      if (std::find(ids.begin(), ids.end(), key.task_id) == ids.end()) continue;
      task.has_body = true;
      tasks.push_back(task);
    }
    return reply(Result<std::vector<ClaimedTask>>(std::move(tasks)));
  }
  Co<void> open_for_large_requests() override { co_return; }
  Co<Result<std::vector<ClaimedTask>>> large_request(int64_t, int64_t id) override {
    log.emplace_back("large_request");
    if (!large_errors.empty()) {
      const Error error = large_errors.front();
      large_errors.pop_front();
      return reply(Result<std::vector<ClaimedTask>>(tl::unexpected(error)));
    }
    std::vector<ClaimedTask> tasks;
    for (auto [key, task] : leases) {
      if (key.task_id != id) continue;
      task.has_body = true;
      tasks.push_back(task);
    }
    return reply(Result<std::vector<ClaimedTask>>(std::move(tasks)));
  }
  void end_large_requests() override {
    log.emplace_back("end_large_requests");
    release("large_request");
  }
  Co<Result<std::vector<Applied>>> complete(int64_t, const std::vector<EndedCall>& ended) override {
    log.emplace_back("complete");
    return store(complete_errors, ended);
  }
  Co<Result<std::vector<Applied>>> store(std::deque<Error>& errors,
                                         const std::vector<EndedCall>& ended) {
    if (!errors.empty()) {
      const Error error = errors.front();
      errors.pop_front();
      return reply(Result<std::vector<Applied>>(tl::unexpected(error)));
    }
    for (const EndedCall& call : ended) {
      if (poison.contains(call.key.task_id) && !std::holds_alternative<Failed>(call.outcome)) {
        return reply(Result<std::vector<Applied>>(
            tl::unexpected(Error{Error::Action::refuse, "22P05", "cannot store it"})));
      }
    }
    for (const EndedCall& call : ended) {
      if (damaged_tasks.contains(call.key.task_id)) {
        return reply(Result<std::vector<Applied>>(
            tl::unexpected(Error{Error::Action::bug, "XX001", "invalid page"})));
      }
    }
    std::vector<Applied> applied;
    for (const EndedCall& call : ended)
      applied.push_back(Applied{call.key, leases.erase(call.key) > 0});
    batches.push_back(ended);
    return reply(Result<std::vector<Applied>>(std::move(applied)));
  }
  Co<void> open_for_large_outcomes() override {
    log.emplace_back("open_for_large_outcomes");
    const Result<bool> opened = co_await reply(Result<bool>(true));
  }
  Co<Result<std::vector<Applied>>> complete_large(int64_t,
                                                  const std::vector<EndedCall>& ended) override {
    log.emplace_back("complete_large");
    return store(large_complete_errors, ended);
  }
  void end_large_outcomes() override { log.emplace_back("end_large_outcomes"); }
  Co<Result<int64_t>> announce(const std::vector<int64_t>& ids) override {
    log.emplace_back("announce");
    if (!announce_errors.empty()) {
      const Error error = announce_errors.front();
      announce_errors.pop_front();
      return reply(Result<int64_t>(tl::unexpected(error)));
    }
    announced.push_back(ids);
    return reply(Result<int64_t>(static_cast<int64_t>(ids.size())));
  }
  Co<Result<int64_t>> note_clock_jump(int64_t, int64_t) override {
    log.emplace_back("note_clock_jump");
    return reply(Result<int64_t>(now_us));
  }
  Co<Result<void>> drain_buckets(const std::vector<ModelLimits>& limits) override {
    log.emplace_back("drain_buckets");
    drained.insert(drained.end(), limits.begin(), limits.end());
    return reply(Result<void>());
  }
  Co<Result<bool>> unfinished(int64_t) override { return reply(Result<bool>(has_unfinished)); }
  Co<Result<int64_t>> unregister_worker(int64_t) override {
    log.emplace_back("unregister");
    return reply(Result<int64_t>(static_cast<int64_t>(leases.size())));
  }
  Co<Result<void>> listen() override {
    listening_ = reachable;
    if (reachable) return reply(Result<void>());
    return reply(Result<void>(tl::unexpected(gone())));
  }
  bool is_listening() const override { return listening_; }
  ListenMode listen_mode() const override {
    if (!listening_ || mute) return ListenMode::lost;
    return pooled ? ListenMode::poll : ListenMode::listen;
  }
  void check_listening() override {}
  Co<Result<bool>> become_watcher(int64_t) override {
    log.emplace_back("become_watcher");
    watched = watch_is_free;
    return reply(Result<bool>(watched));
  }
  Co<Result<void>> resign_watcher(int64_t, bool work_remains) override {
    log.emplace_back(work_remains ? "resign_watcher and notify" : "resign_watcher");
    watched = false;
    return reply(Result<void>());
  }
  Co<Result<SleepCheck>> take_sleeper_locks(int64_t, std::vector<int>) override {
    log.emplace_back("take_sleeper_locks");
    if (!look_errors.empty()) {
      const Error error = look_errors.front();
      look_errors.pop_front();
      return reply(Result<SleepCheck>(tl::unexpected(error)));
    }
    SleepCheck answer = sleep_check;
    answer.work = sleep_check.work || (looks_in_time && (!queue.empty() || !later.empty()));
    return reply(Result<SleepCheck>(std::move(answer)));
  }
  Co<Result<void>> drop_sleeper_locks(std::vector<int>) override {
    log.emplace_back("drop_sleeper_locks");
    return reply(Result<void>());
  }
  void close() override { connected_ = listening_ = false; }

 private:
  static Error gone() { return Error{Error::Action::reconnect, "", "no connection"}; }

  struct Held {
    explicit Held(std::string name_) : name(std::move(name_)) {}
    std::string name;
    bool waits = true;
    Signal released;
  };

  bool is_held(const std::string& name) const { return held_ || held_names_.contains(name); }
  template <class T>
  Co<Result<T>> reply(Result<T> result) {
    const std::string name = log.empty() ? std::string() : log.back();
    return is_held(name) ? wait_and_reply(std::move(result), epoch_, name)
                         : at_once(std::move(result));
  }
  template <class T>
  static Co<Result<T>> at_once(Result<T> result) {
    co_return result;
  }
  template <class T>
  Co<Result<T>> wait_and_reply(Result<T> result, int epoch, std::string name) {
    Held& held = waiting_.emplace_back(std::move(name));
    while (held.waits && is_held(held.name)) co_await held.released.wait();
    if (epoch != epoch_) co_return tl::unexpected(gone());
    co_return result;
  }

  bool connected_ = false;
  bool listening_ = false;
  bool held_ = false;
  std::set<std::string> held_names_;
  int epoch_ = 0;
  std::list<Held> waiting_;
};

}  // namespace sluice
