#include "runtime/co.h"

namespace sluice {
namespace {

// Waits for its turn in the queue.
struct Turn {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) { entry.push(coroutine); }
  void await_resume() const noexcept {}

  ReadyQueue::Entry entry;
};

// A coroutine whose frame ends with it.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

Detached run_detached(Co<void> coroutine) {
  Turn turn;
  co_await turn;
  co_await std::move(coroutine);
}

}  // namespace

void spawn(Co<void> coroutine) {
  const ReadyQueue::Batch batch;
  run_detached(std::move(coroutine));
}

// Detached too, but listed with its group for as long as its frame lives.
struct CoGroup::Runner {
  struct promise_type : Detached::promise_type {
    promise_type(CoGroup* owner, Co<void>&) : group(owner) {
      group->running_.push_front(std::coroutine_handle<promise_type>::from_promise(*this));
      place = group->running_.begin();
    }
    ~promise_type() { group->running_.erase(place); }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    Runner get_return_object() const noexcept { return {}; }

    CoGroup* group;
    std::list<std::coroutine_handle<>>::iterator place;
  };
};

CoGroup::Runner CoGroup::run(CoGroup*, Co<void> coroutine) {
  Turn turn;
  co_await turn;
  co_await std::move(coroutine);
}

void CoGroup::spawn(Co<void> coroutine) {
  const ReadyQueue::Batch batch;
  run(this, std::move(coroutine));
}

CoGroup::~CoGroup() {
  while (!running_.empty()) running_.front().destroy();
}

}  // namespace sluice
