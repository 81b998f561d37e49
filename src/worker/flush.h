// Flush is a group of statements that are sent together, each with its own Sync, and the actions
// for their answers. It owns both until receive() has run. The statements, and the effects of their
// answers, are defined where they are added.
//
// Thread rule: loop thread only. The objects that the actions change outlive it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "result.h"
#include "runtime/co.h"

namespace sluice {

class Flush final {
 public:
  explicit Flush(int64_t sent_ns) : sent_ns_(sent_ns) {}

  // When its statements were sent.
  int64_t sent_ns() const { return sent_ns_; }

  // `answer` of a statement that is on its way; `on_answer` is called with its Result<T>.
  template <class T, class OnAnswer>
  void add(Co<Result<T>> answer, OnAnswer on_answer) {
    answers_.push_back(take(std::move(answer), std::move(on_answer)));
  }

  // All answers, in the order of sending.
  Co<void> receive() {
    for (Co<void>& answer : answers_) co_await std::move(answer);
  }

 private:
  template <class T, class OnAnswer>
  static Co<void> take(Co<Result<T>> answer, OnAnswer on_answer) {
    Result<T> result = co_await std::move(answer);
    on_answer(std::move(result));
  }

  int64_t sent_ns_;
  std::vector<Co<void>> answers_;
};

}  // namespace sluice
