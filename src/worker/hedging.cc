#include "worker/hedging.h"

#include "bounds.h"
#include "runtime/clock.h"

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

bool Hedging::ask(const Model& model, const TaskKey& key, int64_t now_ns) {
  Window& window = windows_[model.name];
  if (now_ns < window.again_at_ns) return false;
  const int extra = window.extra + window.asked;
  const auto calls = static_cast<double>(window.calls.size()) + window.asked;
  if (extra >= bounds::hedge_shares_max * model.hedge_budget * calls) return false;
  ++window.asked;
  window.asked_at_ns = now_ns;
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
  if (begins) {
    window.add(true);
    begun_.insert(key);
  }
  asked_.erase(asked);
}

void Hedging::note_refusal(const TaskKey& key) {
  const auto asked = asked_.find(key);
  if (asked == asked_.end()) return;
  Window& window = windows_[asked->second];
  window.again_at_ns = window.asked_at_ns + bounds::hedge_again_ms * ns_per_ms;
  note_answer(key, false);
}

void Hedging::forget(const TaskKey& key) {
  begun_.erase(key);
  if (waiting_.erase(key) > 0) note_answer(key, false);
}

}  // namespace sluice
