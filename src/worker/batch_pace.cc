#include "worker/batch_pace.h"

#include <algorithm>
#include <cmath>

#include "runtime/clock.h"

namespace sluice {

namespace {

// Of what a call takes.
constexpr double wait_share = 1.0 / 4;

constexpr double call_weight = 1.0 / 8;

}  // namespace

void BatchPace::note_arrival(const Model& model, int64_t now_ns) {
  const auto window_ns = static_cast<double>(std::max<int64_t>(1, model.batch_wait_ms) * ns_per_ms);
  const auto since_ns = static_cast<double>(now_ns - last_arrival_ns_);
  arrivals_ = arrivals_ * std::exp(-since_ns / window_ns) + 1;
  last_arrival_ns_ = now_ns;
}

void BatchPace::note_call(int64_t took_ns) {
  const auto took = static_cast<double>(took_ns);
  call_ns_ = call_ns_ == 0 ? took : call_ns_ + (took - call_ns_) * call_weight;
}

int64_t BatchPace::wait_ns(const Model& model) const {
  return std::min(model.batch_wait_ms * ns_per_ms, static_cast<int64_t>(call_ns_ * wait_share));
}

size_t BatchPace::goal(const Model& model) const {
  if (model.batch_wait_ms == 0) return 1;
  const double share =
      static_cast<double>(wait_ns(model)) / static_cast<double>(model.batch_wait_ms * ns_per_ms);
  return std::clamp<size_t>(static_cast<size_t>(arrivals_ * share), 1,
                            static_cast<size_t>(model.batch_max));
}

}  // namespace sluice
