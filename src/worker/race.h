// Race is the calls of one task: its own, and an extra one each time that hedge_after passes
// without an answer. The first answer wins and the other calls are aborted; a failure is ignored
// while another call is under way. It owns its calls' coroutines; it stores nothing.
//
// Thread rule: loop thread only. It ends when all of its calls have ended.
#pragma once

#include <functional>
#include <optional>

#include "worker/call.h"

namespace sluice {

class Race final {
 public:
  // Asks for one more call. True: call.hedge will say; false: not now.
  using AskForOneMore = std::function<bool()>;

  // The call outlives it.
  Race(Calling calling, SharedModel model, Call& call, AskForOneMore ask_for_one_more);

  Co<Answer> run();

 private:
  void start(std::optional<int64_t> send_by_ns, AbortToken& abort);
  Co<void> run_one(std::optional<int64_t> send_by_ns, AbortToken& abort);
  Co<void> wait_for_change();
  bool may_want_more() const;
  int64_t next_extra_ns() const;

  Calling calling_;
  SharedModel model_;
  Call& call_;
  AskForOneMore ask_for_one_more_;
  int64_t begun_ns_ = 0;
  int64_t ask_at_ns_ = 0;
  int running_ = 0;
  int extra_ = 0;
  bool won_ = false;
  std::optional<Answer> answer_;  // the winner's; until there is one, what the first to end said
};

}  // namespace sluice
