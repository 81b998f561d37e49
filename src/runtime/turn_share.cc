#include "runtime/turn_share.h"

#include <utility>

#include "runtime/ready_queue.h"

namespace sluice {

TurnShare::TurnShare(Loop& loop, Clock& clock, int64_t ns) : loop_(loop), clock_(clock), ns_(ns) {}

void TurnShare::run(std::function<void()> work) {
  const ReadyQueue::Batch batch;
  if (has_room()) return work();
  waiting_.push_back(std::move(work));
  go_on();
}

bool TurnShare::is_spent() {
  const int64_t now_ns = clock_.now_ns();
  if (std::exchange(turn_, loop_.turn()) != loop_.turn()) until_ns_ = now_ns + ns_;
  return now_ns >= until_ns_;
}

void TurnShare::go_on() {
  if (std::exchange(is_posted_, true)) return;
  loop_.post([self = std::weak_ptr<TurnShare*>(self_)] {
    const auto share = self.lock();
    if (!share) return;
    TurnShare& our = **share;
    our.is_posted_ = false;
    while (!our.waiting_.empty() && !our.is_spent()) {
      const auto work = std::move(our.waiting_.front());
      our.waiting_.pop_front();
      work();
    }
    if (!our.waiting_.empty()) our.go_on();
  });
}

}  // namespace sluice
