#include "runtime/task.h"

namespace sluice {
namespace {

// A coroutine that nobody owns: it begins at its turn in the queue, and its frame ends with it.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

struct Turn {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) { entry.push(coroutine); }
  void await_resume() const noexcept {}

  ReadyQueue::Entry entry;
};

Detached run(Task<void> task) {
  Turn turn;
  co_await turn;
  co_await std::move(task);
}

}  // namespace

void spawn(Task<void> task) {
  const ReadyQueue::Batch batch;
  run(std::move(task));
}

}  // namespace sluice
