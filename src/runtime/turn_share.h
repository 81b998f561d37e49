// TurnShare bounds how long pieces of work that come in a crowd may hold up one turn of the event
// loop: what does not fit waits for the next turns, in order. A TLS handshake takes a millisecond
// of processor time; with 256 connections that open at once the loop would else be a quarter of a
// second late for everything else.
//
// Thread rule: loop thread only. The loop and the clock outlive it; it outlives what its pieces of
// work use, and those that have not run are dropped with it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "runtime/clock.h"
#include "runtime/loop.h"

namespace sluice {

class TurnShare final {
 public:
  // A quarter of the 20 ms that the loop may be late: others want their part of the turn, and the
  // last piece may be a long one.
  static constexpr int64_t share_ns = 5 * ns_per_ms;

  TurnShare(Loop& loop, Clock& clock);
  TurnShare(const TurnShare&) = delete;
  TurnShare& operator=(const TurnShare&) = delete;

  // Runs `work` at once while the share lasts and nothing waits.
  void run(std::function<void()> work);
  // Whether run() would: for work that is done more cheaply without being made a function.
  bool has_room() { return waiting_.empty() && !is_spent(); }

 private:
  bool is_spent();
  void go_on();

  Loop& loop_;
  Clock& clock_;
  std::optional<uint64_t> turn_;
  int64_t until_ns_ = 0;  // the share of that turn
  std::deque<std::function<void()>> waiting_;
  // What a posted function knows us by; it may come after our end.
  std::shared_ptr<TurnShare*> self_ = std::make_shared<TurnShare*>(this);
};

}  // namespace sluice
