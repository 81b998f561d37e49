// Claimer decides how many tasks to ask for, and when to wake tasks whose time has come. It owns
// only the worker's demand: it sends nothing, and knows no time and no task.
//
// A worker claims again as long as claims bring as many tasks as it asked for. After a claim that
// brought fewer it is idle, until Wakeups, which looks for waiting tasks, wakes it. After a claim
// that brought none it first moves the tasks that have come due into their lines, and claims once
// more.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace sluice {

class Claimer final {
 public:
  // The models to claim for.
  void serve(const std::vector<Model>& models);
  // Those to name in the next claim: those that woke an idle worker; none: all.
  const std::vector<std::string>& models() const { return scope_; }

  // There may be work: anywhere, or for one model (by id; one that is not served: nothing).
  void wake();
  void wake(int64_t model);
  bool is_idle() const { return demand_ == Demand::idle || ids_.empty(); }

  // How many to ask for with `slots_free`; 0: do not claim.
  int wanted(int slots_free) const;
  // Whether to wake tasks before that claim: after an empty one, and now and then.
  bool wakes_later() const;

  // Take the results of waking and of the claim. `taken`: tasks by model.
  void note_woken() { claims_since_woken_ = 0; }
  void note_claimed(int asked, const std::map<std::string, int>& taken);

 private:
  enum class Demand {
    claiming,    // the last claim was full, or somebody woke us. Next: last_claim, idle.
    last_claim,  // a claim was empty: wake what is due and claim once more. Next: claiming, idle.
    idle,        // nothing to be had. Next: claiming, by wake().
  };

  Demand demand_ = Demand::claiming;
  int claims_since_woken_ = 0;
  std::vector<std::string> scope_;  // empty: all
  std::map<std::string, int> ids_;  // of the models, by name
};

}  // namespace sluice
