// run_co drives the loop until one coroutine has ended and hands its value to the test. A coroutine
// that does not end within the deadline aborts the test program: it would hang otherwise.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

#include "runtime/clock.h"
#include "runtime/co.h"
#include "runtime/loop.h"

namespace sluice {

inline constexpr int64_t run_co_deadline_ns = 60 * ns_per_s;

template <class T>
T run_co(Loop& loop, Clock& clock, Co<T> coroutine) {
  std::optional<std::conditional_t<std::is_void_v<T>, bool, T>> value;
  const auto keep = [&value, &loop](Co<T> inner) -> Co<void> {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(inner);
      value = true;
    } else {
      value.emplace(co_await std::move(inner));
    }
    loop.stop();
  };
  const auto deadline = clock.call_at(clock.now_ns() + run_co_deadline_ns, [] {
    std::fputs("run_co: the coroutine did not end in time\n", stderr);
    std::abort();
  });
  spawn(keep(std::move(coroutine)));
  while (!value) loop.run();
  clock.cancel(deadline);
  if constexpr (!std::is_void_v<T>) return std::move(*value);
}

}  // namespace sluice
