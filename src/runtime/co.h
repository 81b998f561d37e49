// Co<T> owns one lazy coroutine and carries its value to whoever awaits it. It knows nothing of the
// loop, of threads or of cancelling: destroying a Co that has not finished destroys its frame, and
// what it waited for forgets it.
//
// Thread rule: loop thread only. Errors: values (Result<T>); an exception that leaves a coroutine
// ends the process. Beware: g++ 12 destroys a braced temporary within a co_await operand twice;
// make a local first. Take parameters by value, and keep a lambda that is a coroutine alive for as
// long as its Co: the captures live in the lambda, not in the frame.
#pragma once

#include <cassert>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <list>
#include <optional>
#include <utility>

#include "runtime/ready_queue.h"

namespace sluice {

template <class T = void>
class Co;

namespace co_detail {

// The common part of promises: the coroutine to resume when this one ends.
struct PromiseBase {
  // Hands over to the waiting coroutine without growing the stack.
  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
      PromiseBase& promise = done.promise();
      // Ended before it was ever suspended: start() sees it and goes on by itself.
      if (promise.starting) return std::noop_coroutine();
      return promise.continuation;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() const noexcept { std::terminate(); }

  std::coroutine_handle<> continuation = std::noop_coroutine();
  bool starting = false;
};

template <class T>
struct Promise : PromiseBase {
  Co<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() { return std::move(*value); }

  std::optional<T> value;
};

template <>
struct Promise<void> : PromiseBase {
  Co<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace co_detail

template <class T>
class [[nodiscard]] Co final {
 public:
  using promise_type = co_detail::Promise<T>;

  Co(Co&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Co& operator=(Co&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Co() {
    if (coroutine_) coroutine_.destroy();
  }

  // `co_await f()`, or `co_await std::move(coroutine)`: runs it to its end and takes its value.
  // Once only.
  auto operator co_await() && noexcept { return Awaiter(coroutine_); }

 private:
  friend promise_type;

  struct Awaiter {
    explicit Awaiter(std::coroutine_handle<promise_type> coroutine) : child(coroutine) {}
    bool await_ready() const noexcept { return false; }
    // A child that ends at once is not a transfer: without optimisation a compiler makes transfers
    // calls, and a loop over such children would eat the stack.
    bool await_suspend(std::coroutine_handle<> waiting) const {
      assert(child && !child.done() && "a Co is awaited once");
      promise_type& promise = child.promise();
      promise.continuation = waiting;
      promise.starting = true;
      child.resume();
      promise.starting = false;
      return !child.done();
    }
    T await_resume() const { return child.promise().take(); }

    std::coroutine_handle<promise_type> child;
  };

  explicit Co(promise_type& promise)
      : coroutine_(std::coroutine_handle<promise_type>::from_promise(promise)) {}

  std::coroutine_handle<promise_type> coroutine_;
};

template <class T>
Co<T> co_detail::Promise<T>::get_return_object() {
  return Co<T>(*this);
}

inline Co<void> co_detail::Promise<void>::get_return_object() {
  return Co<void>(*this);
}

// Starts `coroutine` and lets it run by itself on the loop thread; its frame frees itself at the
// end. Called from a coroutine, it begins when that one waits. Everything it uses must live until
// it has ended.
void spawn(Co<void> coroutine);

// Owns coroutines that run by themselves: those that have not ended when it is destroyed are
// destroyed with it, wherever they wait. Do not destroy it from within one of them.
class CoGroup final {
 public:
  CoGroup() = default;
  ~CoGroup();
  CoGroup(const CoGroup&) = delete;
  CoGroup& operator=(const CoGroup&) = delete;

  void spawn(Co<void> coroutine);
  size_t running() const { return running_.size(); }

 private:
  struct Runner;
  static Runner run(CoGroup* group, Co<void> coroutine);

  std::list<std::coroutine_handle<>> running_;
};

}  // namespace sluice
