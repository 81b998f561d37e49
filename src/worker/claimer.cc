#include "worker/claimer.h"

#include <algorithm>

#include "bounds.h"

namespace sluice {

namespace {

// Claims between two looks for tasks whose time has come: a busy worker may never have an empty
// one.
constexpr int claims_per_look_at_later = 16;

}  // namespace

void Claimer::serve(const std::vector<Model>& models) {
  ids_.clear();
  for (const Model& model : models) ids_[model.name] = model.id;
  wake();
}

void Claimer::wake() {
  scope_.clear();
  demand_ = Demand::claiming;
}

void Claimer::wake(int64_t model) {
  for (const auto& [name, id] : ids_) {
    if (id != model) continue;
    // A worker that claims for all anyway goes on doing so.
    if (is_idle()) scope_.clear();
    const bool is_named = std::find(scope_.begin(), scope_.end(), name) != scope_.end();
    if ((is_idle() || !scope_.empty()) && !is_named) scope_.push_back(name);
    demand_ = Demand::claiming;
  }
}

int Claimer::wanted(int slots_free) const {
  if (is_idle()) return 0;
  return std::clamp(slots_free, 0, bounds::claim_rows_max);
}

bool Claimer::wakes_later() const {
  return demand_ == Demand::last_claim || claims_since_woken_ >= claims_per_look_at_later;
}

void Claimer::note_claimed(int asked, const std::map<std::string, int>& taken) {
  ++claims_since_woken_;
  int total = 0;
  for (const auto& [name, count] : taken) total += count;
  if (total >= asked) {
    wake();
  } else if (total == 0 && demand_ == Demand::claiming) {
    demand_ = Demand::last_claim;
  } else {
    demand_ = Demand::idle;
  }
}

}  // namespace sluice
