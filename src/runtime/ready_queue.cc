#include "runtime/ready_queue.h"

#include <cassert>

namespace sluice {

ReadyQueue& ReadyQueue::instance() {
  static ReadyQueue queue;
  return queue;
}

void ReadyQueue::Entry::push(std::coroutine_handle<> coroutine) {
  assert(!queued_ && "a coroutine waits in one place at a time");
  const Batch batch;  // outside of the loop's callbacks this one drains
  coroutine_ = coroutine;
  instance().link(*this);
}

void ReadyQueue::Entry::unlink() {
  if (!queued_) return;
  ReadyQueue& queue = instance();
  (previous_ != nullptr ? previous_->next_ : queue.first_) = next_;
  (next_ != nullptr ? next_->previous_ : queue.last_) = previous_;
  previous_ = next_ = nullptr;
  queued_ = false;
}

void ReadyQueue::link(Entry& entry) {
  entry.previous_ = last_;
  (last_ != nullptr ? last_->next_ : first_) = &entry;
  last_ = &entry;
  entry.queued_ = true;
}

void ReadyQueue::drain() {
  while (first_ != nullptr) {
    Entry& entry = *first_;
    entry.unlink();
    // The entry may be gone with its frame when this returns.
    entry.coroutine_.resume();
  }
}

ReadyQueue::Batch::Batch() {
  ++instance().depth_;
}

ReadyQueue::Batch::~Batch() {
  ReadyQueue& queue = instance();
  if (queue.depth_ == 1) queue.drain();
  --queue.depth_;
}

}  // namespace sluice
