#include "worker/race.h"

#include <utility>

#include "bounds.h"

namespace sluice {

namespace {

bool is_answer(const Outcome& outcome) {
  return std::holds_alternative<Solved>(outcome) || std::holds_alternative<Failed>(outcome);
}

// Of a task's calls the outcome that says most is recorded; a call that was sent may be billed.
int weight_of(const Outcome& outcome) {
  if (std::holds_alternative<Returned>(outcome)) return 0;
  if (std::holds_alternative<Unsent>(outcome)) return 1;
  return is_answer(outcome) ? 3 : 2;
}

}  // namespace

Race::Race(Calling calling, SharedModel model, Call& call, AskForOneMore ask_for_one_more)
    : calling_(calling),
      model_(std::move(model)),
      call_(call),
      ask_for_one_more_(std::move(ask_for_one_more)),
      begun_ns_(calling_.clock.now_ns()) {}

Co<Answer> Race::run() {
  ask_at_ns_ = next_extra_ns();
  start(call_.send_by_ns, call_.abort);
  while (running_ > 0 && !won_) {
    co_await wait_for_change();
    if (running_ == 0 || won_) break;
    if (std::exchange(call_.hedge.is_granted, false) && !call_.abort.aborted()) {
      ++extra_;
      ask_at_ns_ = next_extra_ns();
      start(call_.hedge.send_by_ns, call_.hedge.aborts.emplace_back());
    } else if (may_want_more() && calling_.clock.now_ns() >= ask_at_ns_) {
      ask_at_ns_ = calling_.clock.now_ns() + bounds::hedge_again_ms * ns_per_ms;
      call_.hedge.is_asked = ask_for_one_more_();
    }
  }
  call_.abort_all();
  while (running_ > 0) co_await call_.hedge.changed.wait();
  co_return std::move(*answer_);
}

Co<void> Race::wait_for_change() {
  if (may_want_more()) {
    co_await call_.hedge.changed.wait_until(calling_.clock, ask_at_ns_);
  } else {
    co_await call_.hedge.changed.wait();
  }
}

bool Race::may_want_more() const {
  return extra_ < model_->hedge_max && !call_.hedge.is_asked && !call_.abort.aborted();
}

int64_t Race::next_extra_ns() const {
  return begun_ns_ + (extra_ + 1) * *model_->hedge_after_ms * ns_per_ms;
}

void Race::start(std::optional<int64_t> send_by_ns, AbortToken& abort) {
  ++running_;
  spawn(run_one(send_by_ns, abort));
}

Co<void> Race::run_one(std::optional<int64_t> send_by_ns, AbortToken& abort) {
  Answer answer =
      co_await ask_model(calling_, model_, call_.task, call_.task.question, send_by_ns, abort);
  --running_;
  if (!answer_ || weight_of(answer.outcome) > weight_of(answer_->outcome)) {
    answer_ = std::move(answer);
  }
  won_ = won_ || is_answer(answer_->outcome);
  call_.hedge.changed.raise();
}

}  // namespace sluice
