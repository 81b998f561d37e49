// Signal is an edge that one coroutine waits for: raise() says "look again", and says nothing more.
// It carries no value and does not know the operating system's signals (that is Loop::on_signal).
//
// Thread rule: loop thread only. A raise with nobody waiting is remembered, once however often it
// happens. The waiter goes on through the ReadyQueue: after the raising coroutine or callback has
// come to its next wait or its end; outside of both at once. A Signal destroyed under its waiter
// leaves it suspended for good; the waiter may be destroyed at any time.
#pragma once

#include <coroutine>
#include <cstdint>

#include "runtime/clock.h"
#include "runtime/ready_queue.h"

namespace sluice {

class Signal final {
 public:
  class Wait;

  Signal() = default;
  ~Signal();
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  void raise();

  // `co_await signal.wait()`. Requires: nobody else waits.
  Wait wait();
  // `bool raised = co_await signal.wait_until(clock, at_ns)`: false when the moment came first.
  Wait wait_until(Clock& clock, int64_t at_ns);

 private:
  bool raised_ = false;
  Wait* waiter_ = nullptr;
};

// The awaitable. Lives in the frame of the waiting coroutine; leaves the signal and the clock
// when it goes.
class [[nodiscard]] Signal::Wait final {
 public:
  Wait(Signal& signal, Clock* clock, int64_t at_ns);
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  ~Wait();

  bool await_ready();
  void await_suspend(std::coroutine_handle<> coroutine);
  bool await_resume() const noexcept { return raised_; }

 private:
  friend class Signal;
  void leave();
  void finish(bool raised);

  Signal* signal_;  // null when there is nothing to wait for any more
  Clock* clock_;    // null: for ever
  int64_t at_ns_;
  Clock::TimerId timer_ = 0;
  std::coroutine_handle<> coroutine_;
  ReadyQueue::Entry entry_;
  bool raised_ = false;
};

}  // namespace sluice
