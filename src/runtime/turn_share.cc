#include "runtime/turn_share.h"

#include <algorithm>
#include <utility>

#include "runtime/ready_queue.h"

namespace sluice {

TurnShare::TurnShare(Loop& loop, Clock& clock, int64_t ns) : loop_(loop), clock_(clock), ns_(ns) {}

void TurnShare::run(const std::string& party, std::function<void()> work) {
  const ReadyQueue::Batch batch;
  if (has_room()) return work();
  const bool is_first = parties_.empty();
  Party& its = parties_[party];
  if (its.waiting.empty()) its.used_ns = std::max(its.used_ns, used_ns_);
  its.waiting.push_back(std::move(work));
  if (is_first) go_on();
}

bool TurnShare::is_spent() {
  const int64_t now_ns = clock_.now_ns();
  if (std::exchange(turn_, loop_.turn()) != loop_.turn()) until_ns_ = now_ns + ns_;
  return now_ns >= until_ns_;
}

void TurnShare::go_on() {
  loop_.post([self = std::weak_ptr<TurnShare*>(self_)] {
    const auto share = self.lock();
    if (!share) return;
    TurnShare& our = **share;
    while (!our.is_spent()) {
      if (!our.run_next()) return;
    }
    our.go_on();
  });
}

// False: nothing waits.
bool TurnShare::run_next() {
  Party* next = nullptr;
  for (auto& [name, party] : parties_) {
    if (party.waiting.empty()) continue;
    if (next == nullptr || party.used_ns < next->used_ns) next = &party;
  }
  if (next == nullptr) {
    parties_.clear();
    return false;
  }
  const auto work = std::move(next->waiting.front());
  next->waiting.pop_front();
  used_ns_ = next->used_ns;
  const int64_t begun_ns = clock_.now_ns();
  work();
  next->used_ns += clock_.now_ns() - begun_ns;
  return true;
}

}  // namespace sluice
