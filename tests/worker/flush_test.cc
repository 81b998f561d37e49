#include "worker/flush.h"

#include <doctest/doctest.h>

#include <string>

#include "runtime/signal.h"

namespace sluice {

namespace {

Co<Result<int>> answer_after(Signal* arrival, int value) {
  co_await arrival->wait();
  co_return value;
}

Co<void> receive(Flush* flush, bool* has_ended) {
  co_await flush->receive();
  *has_ended = true;
}

}  // namespace

TEST_CASE("flush: answers are dealt with in the order of sending, whenever they come") {
  Signal first;
  Signal second;
  std::string seen;
  Flush flush(7);
  CHECK(flush.sent_ns() == 7);
  flush.add(answer_after(&first, 1),
            [&seen](const Result<int>& value) { seen += std::to_string(*value); });
  flush.add(answer_after(&second, 2),
            [&seen](Result<int> value) { seen += std::to_string(*value); });
  bool has_ended = false;
  spawn(receive(&flush, &has_ended));
  second.raise();
  CHECK(seen.empty());
  first.raise();
  CHECK(seen == "12");
  CHECK(has_ended);
}

TEST_CASE("flush: an error is an answer, and one without statements ends at once") {
  bool has_ended = false;
  Flush empty(0);
  spawn(receive(&empty, &has_ended));
  CHECK(has_ended);
  const auto fail = []() -> Co<Result<int>> {
    co_return tl::unexpected(Error{Error::Action::reconnect, "", "gone"});
  };
  Flush flush(0);
  std::string message;
  flush.add(fail(), [&message](const Result<int>& value) { message = value.error().message; });
  spawn(receive(&flush, &has_ended));
  CHECK(message == "gone");
}

}  // namespace sluice
