// Calls holds the worker's work under way: every claimed task until its outcome is known. It owns
// the calls, the memory of large requests and the calls' common parts (secrets, batches, extra
// calls, reported limits), and holds no database connection while a model thinks. It has the
// statements for calls under way: to fetch their bodies, to get permits for extra calls, to store
// reported limits.
//
// The life of a task is live(): it begins when a claim brings the task (Intake), and ends when its
// outcome is on its way into the database (OutcomeStore).
//
// Thread rule: loop thread only. Its arguments outlive it; no call may be left when it is
// destroyed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/memory_budget.h"
#include "worker/batcher.h"
#include "worker/call.h"
#include "worker/concurrency.h"
#include "worker/database_link.h"
#include "worker/hedging.h"
#include "worker/send_allowance.h"
#include "worker/served_models.h"

namespace sluice {

class Calls final {
 public:
  struct Options {
    int64_t request_bytes_max;  // of large requests together
    size_t extra_calls_max;     // under way
    SecretBounds secrets;       // what models may refer to, and where it may go
  };
  struct Ended {
    const std::string& model;
    Concurrency::End end;
    int64_t worker;  // the id it was claimed under
    EndedCall call;
  };

  // `spans`: null if none are exported. `on_ended` is called from within a call's coroutine.
  Calls(Options options, Clock& clock, HttpClient& http, Metrics& metrics, SpanExporter* spans,
        const ServedModels& models, DatabaseLink& link, std::function<void(Ended)> on_ended);

  // `claimed_ns`: when the claim was sent.
  void begin(ClaimedTask task, int64_t claimed_ns);

  // How long the next claim's permits should be good for.
  const SendAllowance& allowance() const { return allowance_; }

  bool empty() const { return calls_.empty(); }
  size_t size() const { return calls_.size(); }
  bool contains(const TaskKey& key) const { return calls_.contains(key); }
  // The memory of large requests.
  int64_t request_bytes() const { return request_memory_.bytes(); }

  // No more tasks will come, so batches need not wait for any.
  void drain() { batcher_.send_all(); }
  // Aborts all calls, also those that are still to come.
  void abort_all();

  // Fetches large requests until finish().
  Co<void> run_fetches();
  void finish();
  // The worker may have a connection again.
  void look() { fetches_change_.raise(); }

  bool has_work() const { return !bodies_wanted_.empty() || hedging_.has_asked(); }
  // Sent before the claim, because reported limits lower buckets before these are used, and extra
  // calls get permits before new tasks. Bodies are fetched after it.
  void send_limits(Flush& flush);
  void send_hedges(Flush& flush);
  void send_for_bodies(Flush& flush);

  // Aborts calls whose results the database no longer accepts.
  void abort_unwanted(const std::vector<TaskKey>& keys);

 private:
  Co<void> live(std::shared_ptr<Call> call);
  Co<Answer> answer_of(Call& call);
  void note_forfeited(const Call& call);
  Co<void> fetch_body(Call& call);
  Co<std::shared_ptr<MemoryBudget::Hold>> room_for(Call& call);
  Co<Answer> ask(Call& call, SharedModel model);
  Co<Answer> race(Call& call, SharedModel model);
  bool ask_for_one_more(const Model& model, const TaskKey& key);
  void end(const Call& call, int64_t begun_ns, Answer answer);
  static void abort(Call& call);

  void ask_for_bodies(Flush& flush, std::vector<TaskKey> asked);
  Co<void> fetch_large();
  void on_bodies(const std::vector<TaskKey>& asked, Result<std::vector<ClaimedTask>> tasks);
  void on_hedged(const std::vector<TaskKey>& asked, const Result<std::vector<TaskKey>>& granted,
                 int64_t sent_ns);
  void grant(Call& call, int64_t sent_ns);

  Clock& clock_;
  HttpClient& http_;
  Metrics& metrics_;
  SpanExporter* spans_;
  const ServedModels& models_;
  DatabaseLink& link_;
  std::function<void(Ended)> on_ended_;
  Secrets secrets_;
  LimitNews limit_news_;
  Batcher batcher_;
  Hedging hedging_;
  SendAllowance allowance_;
  MemoryBudget request_memory_;  // of large requests: before they are fetched until they are sent
  std::map<TaskKey, std::shared_ptr<Call>> calls_;
  // And their bytes. Those of large ones have room in the memory.
  std::map<TaskKey, int64_t> bodies_wanted_;
  std::map<TaskKey, int64_t> large_bodies_wanted_;
  TaskKey fetched_last_;   // of the large ones
  Signal fetches_change_;  // run_fetches() waits for it
  bool are_fetches_over_ = false;
  size_t extra_calls_max_;
  bool are_aborted_ = false;
};

}  // namespace sluice
