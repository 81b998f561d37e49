#include "runtime/turn_share.h"

#include <utility>

#include "runtime/ready_queue.h"

namespace sluice {

TurnShare::TurnShare(Loop& loop, Clock& clock) : loop_(loop), clock_(clock) {}

void TurnShare::run(std::function<void()> work) {
  const ReadyQueue::Batch batch;
  if (has_room()) return work();
  waiting_.push_back(std::move(work));
  if (waiting_.size() == 1) go_on();
}

bool TurnShare::is_spent() {
  const int64_t now_ns = clock_.now_ns();
  if (std::exchange(turn_, loop_.turn()) != loop_.turn()) until_ns_ = now_ns + share_ns;
  return now_ns >= until_ns_;
}

void TurnShare::go_on() {
  loop_.post([self = std::weak_ptr<TurnShare*>(self_)] {
    const auto share = self.lock();
    if (!share) return;
    TurnShare& our = **share;
    while (!our.waiting_.empty() && !our.is_spent()) {
      const auto work = std::move(our.waiting_.front());
      our.waiting_.pop_front();
      work();
    }
    if (!our.waiting_.empty()) our.go_on();
  });
}

}  // namespace sluice
