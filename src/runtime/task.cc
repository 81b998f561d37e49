#include "runtime/task.h"

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

Detached run_detached(Task<void> task) {
  Turn turn;
  co_await turn;
  co_await std::move(task);
}

}  // namespace

void spawn(Task<void> task) {
  const ReadyQueue::Batch batch;
  run_detached(std::move(task));
}

// Detached too, but listed with its group for as long as its frame lives.
struct TaskGroup::Runner {
  struct promise_type : Detached::promise_type {
    promise_type(TaskGroup* owner, Task<void>&) : group(owner) {
      group->running_.push_front(std::coroutine_handle<promise_type>::from_promise(*this));
      place = group->running_.begin();
    }
    ~promise_type() { group->running_.erase(place); }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    Runner get_return_object() const noexcept { return {}; }

    TaskGroup* group;
    std::list<std::coroutine_handle<>>::iterator place;
  };
};

TaskGroup::Runner TaskGroup::run(TaskGroup*, Task<void> task) {
  Turn turn;
  co_await turn;
  co_await std::move(task);
}

void TaskGroup::spawn(Task<void> task) {
  const ReadyQueue::Batch batch;
  run(this, std::move(task));
}

TaskGroup::~TaskGroup() {
  while (!running_.empty()) running_.front().destroy();
}

}  // namespace sluice
