// Intake takes tasks out of the database and begins their calls: up to the number of slots, up to
// each model's limit, and urgent ones in addition. It owns the worker's demand
// (Claimer), the models' limits (Concurrency) and the state of waiting for slots. It has the
// statements that wake due tasks, claim for all, and claim urgent tasks only.
//
// Thread rule: loop thread only. Its arguments outlive it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/calls.h"
#include "worker/claimer.h"
#include "worker/concurrency.h"
#include "worker/database_link.h"
#include "worker/outcome_store.h"
#include "worker/served_models.h"

namespace sluice {

class Intake final {
 public:
  // `on_claimed`: a claim brought so many tasks, whose calls are about to begin.
  Intake(int slots, Clock& clock, Metrics& metrics, const ServedModels& models, DatabaseLink& link,
         Calls& calls, const OutcomeStore& outcomes, std::function<void(size_t)> on_claimed);

  // The models have been read anew.
  void serve(const std::vector<Model>& served);
  // There may be work: anywhere, or for one model, by id.
  void wake() { claimer_.wake(); }
  void wake(int64_t model) { claimer_.wake(model); }
  // Outcomes have been stored, so a model of theirs that was full may have room. With a session of
  // its own the storing overtakes claims: one that was just answered, or is still under way, may
  // have found that model full. So the worker claims for it once more.
  void note_stored(const std::vector<EndedCall>& stored);
  // A call has ended: its slot is free, and its outcome says how its backend is.
  void note_ended(const std::string& model, const Concurrency::End& end);
  // Stops claiming.
  void stop() { stopped_ = true; }

  int slots_free() const;
  // Whether it has nothing to claim: the last claims took all waiting tasks, or the models that
  // woke it since have all the slots that they may have.
  bool is_idle() const;
  // Whether it has claimed a task, or knows that there is none.
  bool has_looked() const { return has_looked_; }
  // Whether tasks may be ready that a usual claim would not take, because there is no free slot, or
  // a model has its share of them. Then it looks for urgent ones, at urgent_look_at_ns().
  bool looks_for_urgent() const;
  int64_t urgent_look_at_ns() const { return urgent_look_at_ns_; }

  bool has_work() const;
  void send(Flush& flush);
  // Measures how long work waits for a slot. Call it when slots or demand may have changed.
  void note_slot_wait();

 private:
  struct Asked {
    int64_t sent_ns;
    int tasks;
    std::vector<std::string> models;
    std::vector<int> shares;  // of each of them
  };

  const std::vector<std::string>& models_to_claim() const;
  int claim_size(const std::vector<std::string>& models, const std::vector<int>& shares) const;
  bool may_claim() const;

  void note_failed(const Error& error);
  bool claims_apart() const;
  void send_waking(Flush& flush);
  void send_urgent(Flush& flush);
  void on_claimed(const Asked& asked, Result<std::vector<ClaimedTask>> tasks);
  void on_claimed_urgent(int64_t sent_ns, Result<std::vector<ClaimedTask>> tasks);
  void begin_all(int64_t sent_ns, std::vector<ClaimedTask> tasks, bool in_urgent_slots);

  int slots_;
  Clock& clock_;
  Metrics& metrics_;
  const ServedModels& models_;
  DatabaseLink& link_;
  Calls& calls_;
  const OutcomeStore& outcomes_;
  std::function<void(size_t)> on_claimed_;
  Claimer claimer_;
  Concurrency concurrency_;
  bool has_looked_ = false;
  bool stopped_ = false;
  int64_t urgent_look_at_ns_ = 0;
  int64_t claims_apart_until_ns_ = 0;
  std::optional<int64_t> slot_wanted_since_ns_;
};

}  // namespace sluice
