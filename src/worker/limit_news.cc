#include "worker/limit_news.h"

#include <algorithm>
#include <optional>

namespace sluice {

namespace {

// A provider refills within seconds: an older figure would lower our bucket for nothing.
constexpr int64_t fresh_ns_max = ns_per_s;

std::optional<int64_t> less(const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

void LimitNews::note(const Model& model, const LimitsLeft& left) {
  if (left.empty()) return;
  const int64_t now_ns = clock_.now_ns();
  const auto [place, is_new] = noted_.try_emplace(model.id, Noted{model.name, left, now_ns});
  if (is_new) return;
  Noted& noted = place->second;
  if (now_ns - noted.noted_ns > fresh_ns_max) {
    noted = Noted{model.name, left, now_ns};
  } else {
    // The older time stands: together they are as old as their oldest.
    noted.left =
        LimitsLeft{less(noted.left.requests, left.requests), less(noted.left.tokens, left.tokens)};
  }
}

std::vector<ModelLimits> LimitNews::take() {
  std::vector<ModelLimits> fresh;
  for (auto& [id, noted] : noted_) {
    if (clock_.now_ns() - noted.noted_ns <= fresh_ns_max) {
      fresh.push_back(ModelLimits{noted.model, noted.left});
    }
  }
  noted_.clear();
  return fresh;
}

}  // namespace sluice
