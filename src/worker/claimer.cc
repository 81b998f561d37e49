#include "worker/claimer.h"

#include <algorithm>

#include "bounds.h"

namespace sluice {

namespace {

// Claims between two admissions for all models.
constexpr int claims_per_admission_of_all = 16;

}  // namespace

void Claimer::serve(const std::vector<Model>& models) {
  std::map<std::string, Queue> queues;
  for (const Model& model : models) {
    const auto known = queues_.find(model.name);
    queues[model.name] =
        Queue{model.id, model.max_queue, known == queues_.end() ? 0 : known->second.taken};
  }
  queues_ = std::move(queues);
  wake();
}

void Claimer::wake() {
  scope_.clear();
  appetite_ = Appetite::hungry;
}

void Claimer::wake(int64_t model) {
  for (const auto& [name, queue] : queues_) {
    if (queue.id != model) continue;
    // A worker that claims for all anyway goes on doing so.
    if (is_sated()) scope_.clear();
    if (is_sated() || !scope_.empty()) scope_.push_back(name);
    appetite_ = Appetite::hungry;
  }
}

int Claimer::wanted(int slots_free) const {
  if (is_sated()) return 0;
  return std::clamp(slots_free, 0, bounds::claim_rows_max);
}

std::optional<std::vector<std::string>> Claimer::to_admit() const {
  if (claims_since_all_admitted_ >= claims_per_admission_of_all) return std::vector<std::string>();
  if (appetite_ == Appetite::last_look) return scope_;
  if (!is_a_queue_low()) return std::nullopt;
  std::vector<std::string> models;
  for (const auto& [name, queue] : queues_) {
    if (queue.is_low()) models.push_back(name);
  }
  return models;
}

bool Claimer::is_a_queue_low() const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [](const auto& entry) { return entry.second.is_low(); });
}

void Claimer::note_admitted(const std::vector<std::string>& models) {
  if (models.empty()) {
    claims_since_all_admitted_ = 0;
    for (auto& [name, queue] : queues_) queue.taken = 0;
  }
  for (const std::string& name : models) {
    if (const auto queue = queues_.find(name); queue != queues_.end()) queue->second.taken = 0;
  }
}

void Claimer::note_claimed(int asked, const std::map<std::string, int>& taken) {
  ++claims_since_all_admitted_;
  int total = 0;
  for (const auto& [name, count] : taken) {
    total += count;
    if (const auto queue = queues_.find(name); queue != queues_.end()) queue->second.taken += count;
  }
  if (total >= asked) {
    wake();
  } else if (total > 0 && is_a_queue_low()) {
    appetite_ = Appetite::hungry;  // a short queue emptied: the next claim takes admission along
  } else if (total == 0 && appetite_ == Appetite::hungry) {
    appetite_ = Appetite::last_look;
  } else {
    appetite_ = Appetite::sated;
  }
}

}  // namespace sluice
