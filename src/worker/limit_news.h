// LimitNews keeps what backends reported as left of their limits until the next flush stores it:
// the lowest figures for each model, and no old ones. It owns these figures; it changes no bucket.
//
// Thread rule: loop thread only. The clock outlives it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/limits_left.h"
#include "runtime/clock.h"
#include "worker/database.h"

namespace sluice {

class LimitNews final {
 public:
  explicit LimitNews(const Clock& clock) : clock_(clock) {}

  void note(const Model& model, const LimitsLeft& left);

  // The news fresh enough to be evidence, by ascending id of the models; forgets all.
  std::vector<ModelLimits> take();

 private:
  struct Noted {
    std::string model;
    LimitsLeft left;
    int64_t noted_ns;
  };

  const Clock& clock_;
  std::map<int, Noted> noted_;  // by the model's id, as many as models
};

}  // namespace sluice
