#include "worker/claimer.h"

#include <algorithm>

#include "bounds.h"

namespace sluice {

void Claimer::serve(const std::vector<Model>& models) {
  std::map<std::string, Queue> queues;
  names_.clear();
  for (const Model& model : models) {
    const auto known = queues_.find(model.name);
    queues[model.name] = Queue{model.max_queue, known == queues_.end() ? 0 : known->second.taken};
    names_.push_back(model.name);
  }
  queues_ = std::move(queues);
  wake();
}

void Claimer::wake() {
  appetite_ = Appetite::hungry;
}

int Claimer::wanted(int slots_free) const {
  if (is_sated()) return 0;
  return std::clamp(slots_free, 0, bounds::claim_rows_max);
}

std::vector<std::string> Claimer::to_admit() const {
  if (appetite_ == Appetite::last_look) return names_;
  std::vector<std::string> models;
  for (const auto& [name, queue] : queues_) {
    if (queue.taken * 4 >= queue.max_queue) models.push_back(name);
  }
  return models;
}

void Claimer::note_admitted(const std::vector<std::string>& models, int64_t moved) {
  for (const std::string& name : models) {
    if (const auto queue = queues_.find(name); queue != queues_.end()) queue->second.taken = 0;
  }
  admitted_any_ = moved > 0;
}

void Claimer::note_claimed(int asked, const std::map<std::string, int>& taken) {
  int total = 0;
  for (const auto& [name, count] : taken) {
    total += count;
    if (const auto queue = queues_.find(name); queue != queues_.end()) queue->second.taken += count;
  }
  if (total >= asked) {
    appetite_ = Appetite::hungry;
  } else if (appetite_ == Appetite::last_look && total == 0 && !admitted_any_) {
    appetite_ = Appetite::sated;
  } else {
    appetite_ = Appetite::last_look;
  }
}

}  // namespace sluice
