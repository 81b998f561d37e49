// Claimer decides how many tasks to ask for and which queues to refill with it. It owns the
// worker's appetite, and nothing else: it sends nothing, knows no time and no task.
//
// A worker claims as long as claims come back full. After a short one it is sated: the sleeper
// looks at queues and backlog before it sleeps, and wakes it if anything is left. After an empty
// one it admits from the backlog and tries once more.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace sluice {

class Claimer final {
 public:
  // The models to claim for, and the size of their queues.
  void serve(const std::vector<Model>& models);
  // Those to name in the next claim: those that woke a sated worker; none: all.
  const std::vector<std::string>& models() const { return scope_; }

  // There may be work: anywhere, or for one model (by id; one that is not served: nothing).
  void wake();
  void wake(int64_t model);
  bool is_sated() const { return appetite_ == Appetite::sated || queues_.empty(); }

  // How many to ask for with `slots_free`; 0: do not claim.
  int wanted(int slots_free) const;
  // Whose queues to refill before that claim: those of which a quarter was taken since; after an
  // empty claim those it was for; now and then all, lest a busy model keep the others waiting.
  // nullopt: none; empty: all.
  std::optional<std::vector<std::string>> to_admit() const;

  // What admission and claim brought. `taken`: tasks by model.
  void note_admitted(const std::vector<std::string>& models);
  void note_claimed(int asked, const std::map<std::string, int>& taken);

 private:
  bool is_a_queue_low() const;

  enum class Appetite {
    hungry,     // the last claim was full, or somebody woke us. Next: last_look, sated.
    last_look,  // a claim was empty: admit and claim once more. Next: hungry, sated.
    sated,      // nothing to be had. Next: hungry, by wake().
  };

  struct Queue {
    int id = 0;
    int max_queue = 0;
    int taken = 0;  // since it was last refilled
    bool is_low() const { return taken * 4 >= max_queue; }
  };

  Appetite appetite_ = Appetite::hungry;
  int claims_since_all_admitted_ = 0;
  std::vector<std::string> scope_;  // empty: all
  std::map<std::string, Queue> queues_;
};

}  // namespace sluice
