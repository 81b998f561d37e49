#include "worker/concurrency.h"

#include <algorithm>

namespace sluice {

namespace {

// Of the slots, one in so many is kept for models that have few calls or none.
constexpr int slots_per_kept_slot = 8;

constexpr double short_weight = 1.0 / 8;
constexpr double long_weight = 1.0 / 64;
// The time to first token holds while the short average is at most so many times the long one.
// Answers of which one in twenty takes ten times as long stay below it.
constexpr double first_token_rise_max = 2;

void average(double& into, double value, double weight) {
  into = into == 0 ? value : into + (value - into) * weight;
}

}  // namespace

void Concurrency::serve(const std::vector<Model>& models) {
  std::map<std::string, Served> served;
  wanting_more_ = with_room_ = 0;
  for (const Model& model : models) {
    Served& now = served[model.name];
    if (const auto known = served_.find(model.name); known != served_.end()) now = known->second;
    now.ceiling = std::min(slots_, model.max_in_flight.value_or(slots_));
    now.floor = std::min(model.min_in_flight, now.ceiling);
    now.limit = now.halved_ns ? std::clamp<double>(now.limit, now.floor, now.ceiling) : now.ceiling;
    if (now.wants_more) ++wanting_more_;
    if (now.has_room()) ++with_room_;
  }
  served_ = std::move(served);
}

void Concurrency::note_begun(const std::string& model) {
  const auto found = served_.find(model);
  if (found == served_.end()) return;
  const bool had_room = found->second.has_room();
  ++found->second.in_flight;
  if (had_room && !found->second.has_room()) --with_room_;
}

void Concurrency::note_ended(const std::string& model, const End& end) {
  const auto found = served_.find(model);
  if (found == served_.end()) return;
  Served& served = found->second;
  const bool had_room = served.has_room();
  const bool is_used = served.in_flight * 2 >= static_cast<int>(served.limit);
  served.in_flight = std::max(0, served.in_flight - 1);
  if (end.is_overload) {
    if (!served.halved_ns || end.begun_ns > *served.halved_ns) served.halve(end.ended_ns);
  } else if (end.first_token_after_ns && is_used) {
    served.grow(*end.first_token_after_ns);
  }
  with_room_ += static_cast<int>(served.has_room()) - static_cast<int>(had_room);
}

void Concurrency::Served::halve(int64_t now_ns) {
  limit = std::max<double>(floor, limit / 2);
  halved_ns = now_ns;
}

void Concurrency::Served::grow(int64_t first_token_after_ns) {
  average(first_token_short_ns, static_cast<double>(first_token_after_ns), short_weight);
  average(first_token_long_ns, static_cast<double>(first_token_after_ns), long_weight);
  if (first_token_short_ns > first_token_rise_max * first_token_long_ns) return;
  limit = std::min<double>(ceiling, limit + 1 / limit);
}

void Concurrency::set_wants_more(Served& served, bool wants_more) {
  wanting_more_ += static_cast<int>(wants_more) - static_cast<int>(served.wants_more);
  served.wants_more = wants_more;
}

// Where there are more models than kept slots, they share those: one for each that comes first.
int Concurrency::kept_for(const Served& served) const {
  const int most = slots_ / slots_per_kept_slot / std::max(1, static_cast<int>(served_.size()));
  return std::min(served.floor, std::max(1, most));
}

int Concurrency::shortfall(const Served& served) const {
  return std::max(0, kept_for(served) - served.in_flight);
}

Concurrency::KeptSlots Concurrency::kept_slots() const {
  const int all = slots_ / slots_per_kept_slot;
  KeptSlots kept{.unused = all, .shortfall = 0, .of_satisfied = 0};
  for (const auto& [name, served] : served_) {
    const int own = kept_for(served);
    kept.shortfall += shortfall(served);
    if (!served.wants_more) kept.of_satisfied += own;
    // One that has more uses others' slots, too: so those it was kept are there for the next.
    if (served.in_flight <= own) kept.unused -= served.in_flight;
  }
  kept.unused = std::max(0, kept.unused);
  kept.of_satisfied = std::min(kept.of_satisfied, all);
  return kept;
}

// The free slots that are for this model before any that has its part.
int Concurrency::reserve(const Served& served, int even) const {
  const int part = served.wants_more ? even : kept_for(served);
  return std::max(0, std::min(part, static_cast<int>(served.limit)) - served.in_flight);
}

std::vector<int> Concurrency::shares(const std::vector<std::string>& models, int slots_free) const {
  const KeptSlots kept = kept_slots();
  // An even part, for each model with more work, of the slots not kept for models with less.
  const int even = (slots_ - kept.of_satisfied) / std::max(1, wanting_more_);
  int of_wanting = 0, of_satisfied = 0;  // what is reserved for them
  for (const auto& [name, served] : served_) {
    (served.wants_more ? of_wanting : of_satisfied) += reserve(served, even);
  }
  std::vector<int> shares;
  shares.reserve(models.size());
  for (const std::string& name : models) {
    const auto found = served_.find(name);
    if (found == served_.end()) {
      shares.push_back(0);
      continue;
    }
    const Served& served = found->second;
    const int own = reserve(served, even);
    const int own_kept = shortfall(served);
    const int room = static_cast<int>(served.limit) - served.in_flight;
    const int kept_for_others = std::min(kept.shortfall - own_kept, kept.unused);
    const int for_others = of_wanting - (served.wants_more ? own : 0) +
                           std::min(of_satisfied - (served.wants_more ? 0 : own), kept.unused);
    // While some model has more than its part there are fewer free slots than are reserved: then
    // those below theirs take what there is, rather than each leave it to the others; but for the
    // few that are kept for each.
    const int below = std::min(own, slots_free - kept_for_others);
    const int beyond = std::min(room, slots_free - for_others);
    shares.push_back(std::max({0, std::min(own_kept, slots_free), below, beyond}));
  }
  return shares;
}

int Concurrency::claim_max(const std::vector<std::string>& models, const std::vector<int>& shares,
                           int slots_free) const {
  const KeptSlots kept = kept_slots();
  int all = 0, own_kept = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    all += shares[i];
    if (const auto found = served_.find(models[i]); found != served_.end()) {
      own_kept += std::min(shares[i], shortfall(found->second));
    }
  }
  // Of several it is not known which will take.
  const int for_others =
      std::min(kept.shortfall - (models.size() == 1 ? own_kept : 0), kept.unused);
  return std::min({all, slots_free, std::max(own_kept, slots_free - for_others)});
}

void Concurrency::note_claimed(int asked, const std::vector<std::string>& models,
                               const std::vector<int>& shares,
                               const std::map<std::string, int>& taken) {
  int total = 0;
  for (const auto& [name, count] : taken) total += count;
  for (size_t i = 0; i < models.size(); ++i) {
    const auto found = served_.find(models[i]);
    if (found == served_.end() || shares[i] == 0) continue;  // not asked: as before
    const auto given = taken.find(models[i]);
    const int count = given == taken.end() ? 0 : given->second;
    if (count >= shares[i] || (total >= asked && count > 0)) {
      set_wants_more(found->second, true);
    } else if (total < asked) {
      set_wants_more(found->second, false);
    }
  }
}

bool Concurrency::may_begin_urgent(const std::string& model) const {
  const auto found = served_.find(model);
  if (found == served_.end()) return false;
  const Served& served = found->second;
  const int limit = static_cast<int>(served.limit);
  return served.in_flight < limit || limit >= slots_;
}

int Concurrency::limit(const std::string& model) const {
  const auto found = served_.find(model);
  return found == served_.end() ? 0 : static_cast<int>(found->second.limit);
}

}  // namespace sluice
