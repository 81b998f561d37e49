#include "worker/concurrency.h"

#include <algorithm>
#include <set>

#include "bounds.h"
#include "runtime/endpoint.h"

namespace sluice {

namespace {

// Of the slots, one in so many is kept for models that have few calls or none.
constexpr int slots_per_kept_slot = 8;

// Of the slots for urgent tasks, a model or a backend beside others has one in so many, rounded up.
constexpr int urgent_slots_per_own_slot = 2;

constexpr double short_weight = 1.0 / 8;
constexpr double long_weight = 1.0 / 64;
// The time to first token holds while the short average is at most so many times the long one.
// Answers of which one in twenty takes ten times as long stay below it.
constexpr double first_token_rise_max = 2;

int rounded_up(int value, int by) {
  return (value + by - 1) / by;
}

// Models with the same one share a backend. A URL that cannot be read is one of its own.
std::string backend_of(const Model& model) {
  const std::optional<Endpoint> endpoint = endpoint_of(model.url);
  return endpoint ? endpoint->url() : model.url;
}

void average(double& into, double value, double weight) {
  into = into == 0 ? value : into + (value - into) * weight;
}

}  // namespace

Concurrency::Concurrency(int slots) : slots_(slots), urgent_slots_(urgent_slots(slots)) {}

int Concurrency::urgent_slots(int slots) {
  return std::max(1, slots / bounds::slots_per_urgent_slot);
}

void Concurrency::serve(const std::vector<Model>& models) {
  std::map<std::string, Served> served;
  std::map<std::string, size_t> backends;
  wanting_more_ = with_room_ = urgent_in_flight_ = 0;
  models_of_backend_.clear();
  note_renamed(models);
  for (const Model& model : models) {
    Served& now = served[model.name];
    if (const Served* known = find(model.name)) now = *known;
    now.id = model.id;
    now.backend = backends.emplace(backend_of(model), backends.size()).first->second;
    models_of_backend_.resize(backends.size());
    ++models_of_backend_[now.backend];
    urgent_in_flight_ += now.urgent;
    now.ceiling = std::min(slots_, model.max_in_flight.value_or(slots_));
    now.floor = std::min(model.min_in_flight, now.ceiling);
    now.limit = now.halved_ns ? std::clamp<double>(now.limit, now.floor, now.ceiling) : now.ceiling;
    if (now.wants_more) ++wanting_more_;
    if (now.has_room()) ++with_room_;
  }
  served_ = std::move(served);
  std::erase_if(renamed_, [this](const auto& names) { return !served_.contains(names.second); });
}

// Calls under way end by the name by which they began.
void Concurrency::note_renamed(const std::vector<Model>& models) {
  std::set<std::string> names;
  for (const Model& model : models) names.insert(model.name);
  std::map<int, std::string> gone;  // of the models whose names are served no more, by their ids
  for (const auto& [name, served] : served_) {
    if (!names.contains(name)) gone[served.id] = name;
  }
  for (const Model& model : models) {
    const auto before = gone.find(model.id);
    if (model.id == 0 || before == gone.end() || served_.contains(model.name)) continue;
    served_[model.name] = served_[before->second];
    for (auto& [old, now] : renamed_) {
      if (now == before->second) now = model.name;
    }
    renamed_[before->second] = model.name;
  }
  for (const std::string& name : names) renamed_.erase(name);
}

Concurrency::Served* Concurrency::find(const std::string& model) {
  const auto renamed = renamed_.find(model);
  const auto found = served_.find(renamed != renamed_.end() ? renamed->second : model);
  return found != served_.end() ? &found->second : nullptr;
}

void Concurrency::note_begun(const std::string& model, bool in_urgent_slot) {
  Served* const served = find(model);
  if (served == nullptr) return;
  const bool had_room = served->has_room();
  ++served->in_flight;
  if (had_room && !served->has_room()) --with_room_;
  if (in_urgent_slot) {
    ++served->urgent;
    ++urgent_in_flight_;
  }
}

void Concurrency::note_ended(const std::string& model, const End& end) {
  Served* const found = find(model);
  if (found == nullptr) return;
  Served& served = *found;
  const bool had_room = served.has_room();
  const bool is_used = served.in_flight * 2 >= static_cast<int>(served.limit);
  served.in_flight = std::max(0, served.in_flight - 1);
  if (served.urgent > 0) {  // whichever has ended: another goes on in its slot
    --served.urgent;
    --urgent_in_flight_;
  }
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

// Slots that are kept for a part and not used by it. A part with more calls than were kept for it
// has them in others' slots, and its kept ones stay in the pool for whoever lacks some.
void Concurrency::Pool::add(const Part& part) {
  lacking += part.lacking();
  if (part.in_flight <= part.kept) unused -= part.in_flight;
}

int Concurrency::KeptSlots::for_other_backends(size_t backend) const {
  return std::min(needed - models[backend].needed(), std::max(0, unused));
}

int Concurrency::KeptSlots::for_others(size_t backend, const Part& part) const {
  return for_other_backends(backend) + models[backend].needed_beside(part);
}

// Where there are more models than kept slots, they share those: one for each that comes first. An
// urgent call is in none of them: were it counted, somebody else would take what is kept.
Concurrency::Part Concurrency::part_of(const Served& served) const {
  const int most = kept_for_backend() / models_of_backend_[served.backend];
  return {std::min(served.floor, std::max(1, most)), served.in_flight - served.urgent};
}

// Backends share all kept slots in the same way.
int Concurrency::kept_for_backend() const {
  const int backends = std::max(1, static_cast<int>(models_of_backend_.size()));
  return rounded_up(slots_ / slots_per_kept_slot, backends);
}

Concurrency::KeptSlots Concurrency::kept_slots() const {
  const int all = slots_ / slots_per_kept_slot;
  KeptSlots kept;
  kept.backends.resize(models_of_backend_.size());
  kept.models.resize(models_of_backend_.size(), {.unused = kept_for_backend()});
  for (const auto& [name, served] : served_) {
    const Part own = part_of(served);
    Part& backend = kept.backends[served.backend];
    backend.kept = std::min(kept_for_backend(), backend.kept + own.kept);
    backend.in_flight += own.in_flight;
    kept.models[served.backend].add(own);
    if (!served.wants_more) kept.of_satisfied += own.kept;
  }
  Pool of_backends{.unused = all};
  for (const Part& backend : kept.backends) of_backends.add(backend);
  kept.unused = of_backends.unused;
  for (const Pool& models : kept.models) kept.needed += models.needed();
  kept.of_satisfied = std::min(kept.of_satisfied, all);
  return kept;
}

// The free slots that are for this model before any that has its part.
int Concurrency::reserve(const Served& served, int even) const {
  const int part = served.wants_more ? even : part_of(served).kept;
  return std::max(
      0, std::min(part + served.urgent, static_cast<int>(served.limit)) - served.in_flight);
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
    const Part part = part_of(served);
    const int room = static_cast<int>(served.limit) - served.in_flight;
    const int kept_for_others = kept.for_others(served.backend, part);
    const int for_others = of_wanting - (served.wants_more ? own : 0) +
                           std::min(of_satisfied - (served.wants_more ? 0 : own), kept_for_others);
    // While some model has more than its part, fewer slots are free than are reserved. If each
    // model left free slots to the others then, none would take them. So one that is below its part
    // takes what is free, except the few slots that are kept for others.
    const int below = std::min(own, slots_free - kept_for_others);
    const int beyond = std::min(room, slots_free - for_others);
    // Its backend's other models may have had the slots that are kept for it: it does not take
    // those of other backends.
    const int of_backend = std::max(std::min(kept.backends[served.backend].lacking(), slots_free),
                                    slots_free - kept.for_other_backends(served.backend));
    const int most = std::max({std::min(part.lacking(), slots_free), below, beyond});
    shares.push_back(std::max(0, std::min(of_backend, most)));
  }
  return shares;
}

int Concurrency::claim_max(const std::vector<std::string>& models, const std::vector<int>& shares,
                           int slots_free) const {
  const KeptSlots kept = kept_slots();
  int all = 0, for_others = 0, for_other_backends = 0;
  std::vector<int> own_kept(kept.backends.size());
  for (size_t i = 0; i < models.size(); ++i) {
    const auto found = served_.find(models[i]);
    if (found == served_.end() || shares[i] <= 0) continue;
    const size_t backend = found->second.backend;
    const Part part = part_of(found->second);
    all += shares[i];
    own_kept[backend] += std::min(shares[i], part.lacking());
    // It is not known which of them will take.
    for_others = std::max(for_others, kept.for_others(backend, part));
    for_other_backends = std::max(for_other_backends, kept.for_other_backends(backend));
  }
  int of_models = 0, of_backends = 0;
  for (size_t i = 0; i < own_kept.size(); ++i) {
    of_models += own_kept[i];
    of_backends += std::min(own_kept[i], kept.backends[i].lacking());
  }
  return std::min({all, slots_free, std::max(of_models, slots_free - for_others),
                   std::max(of_backends, slots_free - for_other_backends)});
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

// One claim names no maximum for each model, so all have that of the one that has least. The others
// have theirs by the next looks.
Concurrency::Urgent Concurrency::urgent() const {
  const auto part = [this](size_t of) {
    return of > 1 ? rounded_up(urgent_slots_, urgent_slots_per_own_slot) : urgent_slots_;
  };
  std::vector<int> left(models_of_backend_.size(), part(models_of_backend_.size()));
  for (const auto& [name, served] : served_) left[served.backend] -= served.urgent;
  Urgent urgent{.models = {}, .most = urgent_slots_ - urgent_in_flight_};
  for (const auto& [name, served] : served_) {
    const int limit = static_cast<int>(served.limit);
    const int room = limit < slots_ ? limit - served.in_flight : urgent_slots_;
    const int own = std::min({part(served_.size()) - served.urgent, left[served.backend], room});
    if (own <= 0) continue;
    urgent.models.push_back(name);
    urgent.most = std::min(urgent.most, own);
  }
  return urgent;
}

int Concurrency::limit(const std::string& model) const {
  const auto found = served_.find(model);
  return found == served_.end() ? 0 : static_cast<int>(found->second.limit);
}

}  // namespace sluice
