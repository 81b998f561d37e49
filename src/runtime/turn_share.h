// TurnShare bounds how long bursts of work hold up one turn of the event loop: the rest waits for
// the next turns. A TLS handshake takes a millisecond of processor time; 256 connections that open
// at once would otherwise delay everything else by a quarter of a second.
//
// Of what waits, each party (a backend's origin, a client's key) has its pieces run in order, and
// the party that has had the least time comes next: one that always has more to do takes from
// others at most half of the share, and one piece of time.
//
// Thread rule: loop thread only. The loop and the clock outlive it. It outlives what its pieces of
// work use, and drops those that have not run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "runtime/clock.h"
#include "runtime/loop.h"

namespace sluice {

class TurnShare final {
 public:
  // A quarter of the 20 ms that the loop may be late: others want their part of the turn, and the
  // last piece may be a long one.
  static constexpr int64_t share_ns = 5 * ns_per_ms;

  TurnShare(Loop& loop, Clock& clock, int64_t ns = share_ns);
  TurnShare(const TurnShare&) = delete;
  TurnShare& operator=(const TurnShare&) = delete;

  // Runs `work` at once while the share lasts and nothing waits. It may call run() in turn.
  void run(const std::string& party, std::function<void()> work);
  // Whether run() would: for work that is done more cheaply without being made a function.
  bool has_room() { return parties_.empty() && !is_spent(); }

 private:
  struct Party {
    std::deque<std::function<void()>> waiting;
    int64_t used_ns = 0;
  };

  bool is_spent();
  void go_on();
  bool run_next();

  Loop& loop_;
  Clock& clock_;
  const int64_t ns_;
  std::optional<uint64_t> turn_;
  int64_t until_ns_ = 0;  // the share of that turn
  // None while nothing waits. Else also those that have nothing left: what they have used counts.
  std::unordered_map<std::string, Party> parties_;
  int64_t used_ns_ = 0;  // by the party that came last, before it came: others begin with that
  // A posted function reaches us through this; it may run after our end.
  std::shared_ptr<TurnShare*> self_ = std::make_shared<TurnShare*>(this);
};

}  // namespace sluice
