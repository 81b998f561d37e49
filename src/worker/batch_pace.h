// BatchPace says how many tasks of one model to collect into a batch, and for how long. It owns two
// figures: how fast tasks arrive, and how long batches take; it knows no task and no clock.
//
// Waiting pays if tasks arrive meanwhile, and may cost a task a quarter of its call's time:
//   wait = least(batch_wait, call / 4);  goal = arrivals per second * wait, from 1 to batch_max
// A batch goes when it has as many tasks as are likely to arrive within the wait: with light
// traffic that is one, so no task waits; with a deep queue a claim brings more than that at once.
#pragma once

#include <cstdint>

#include "backends/backend.h"

namespace sluice {

class BatchPace final {
 public:
  // A task has come. Its weight falls to 1/e within batch_wait, hence their sum is a rate.
  void note_arrival(const Model& model, int64_t now_ns);
  void note_call(int64_t took_ns);

  // The longest that the first of a batch waits for others; nothing before the first call has
  // ended.
  int64_t wait_ns(const Model& model) const;
  // With so many the batch goes at once.
  size_t goal(const Model& model) const;

 private:
  double arrivals_ = 0;  // within the last batch_wait, the older the less
  int64_t last_arrival_ns_ = 0;
  double call_ns_ = 0;  // average over about 8 calls; 0: none yet
};

}  // namespace sluice
