#include "worker/hedging.h"

#include <algorithm>

#include "bounds.h"

namespace sluice {

void Hedging::Window::add(bool is_extra) {
  calls.push_back(is_extra);
  extra += is_extra ? 1 : 0;
  if (calls.size() <= bounds::hedge_window_calls) return;
  extra -= calls.front() ? 1 : 0;
  calls.pop_front();
}

void Hedging::note_call(const std::string& model) {
  windows_[model].add(false);
}

bool Hedging::ask(const Model& model, const TaskKey& key) {
  Window& window = windows_[model.name];
  const int extra = window.extra + window.asked;
  const auto calls = static_cast<double>(window.calls.size()) + window.asked;
  if (extra >= model.hedge_budget * calls) return false;
  ++window.asked;
  asked_.emplace(key, model.name);
  waiting_.insert(key);
  return true;
}

std::vector<TaskKey> Hedging::take() {
  std::vector<TaskKey> keys;
  while (!waiting_.empty() && keys.size() < bounds::hedges_max) {
    keys.push_back(*waiting_.begin());
    waiting_.erase(waiting_.begin());
  }
  return keys;
}

void Hedging::note_answer(const TaskKey& key, bool begins) {
  const auto asked = asked_.find(key);
  if (asked == asked_.end()) return;
  Window& window = windows_[asked->second];
  --window.asked;
  if (begins) window.add(true);
  asked_.erase(asked);
}

void Hedging::forget(const TaskKey& key) {
  if (waiting_.erase(key) > 0) note_answer(key, false);
}

}  // namespace sluice
