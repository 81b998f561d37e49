#include "runtime/signal.h"

#include <cassert>
#include <utility>

namespace sluice {

Signal::~Signal() {
  if (waiter_ != nullptr) waiter_->leave();
}

void Signal::raise() {
  if (waiter_ != nullptr) {
    waiter_->finish(true);
  } else {
    raised_ = true;
  }
}

Signal::Wait Signal::wait() {
  return Wait(*this, nullptr, 0);
}

Signal::Wait Signal::wait_until(Clock& clock, int64_t at_ns) {
  return Wait(*this, &clock, at_ns);
}

Signal::Wait::Wait(Signal& signal, Clock* clock, int64_t at_ns)
    : signal_(&signal), clock_(clock), at_ns_(at_ns) {}

Signal::Wait::~Wait() {
  leave();
}

bool Signal::Wait::await_ready() {
  raised_ = std::exchange(signal_->raised_, false);
  return raised_ || (clock_ != nullptr && clock_->now_ns() >= at_ns_);
}

void Signal::Wait::await_suspend(std::coroutine_handle<> coroutine) {
  assert(signal_->waiter_ == nullptr && "one coroutine waits for a Signal");
  coroutine_ = coroutine;
  signal_->waiter_ = this;
  if (clock_ != nullptr) {
    timer_ = clock_->call_at(at_ns_, [this] {
      timer_ = 0;
      finish(false);
    });
  }
}

void Signal::Wait::leave() {
  if (signal_ != nullptr && signal_->waiter_ == this) signal_->waiter_ = nullptr;
  signal_ = nullptr;
  if (timer_ != 0) clock_->cancel(std::exchange(timer_, 0));
}

void Signal::Wait::finish(bool raised) {
  leave();
  raised_ = raised;
  entry_.push(coroutine_);
}

}  // namespace sluice
