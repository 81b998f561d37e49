// Concurrency decides how many calls of each model this worker may have under way. It owns the
// models' limits and the count of their calls; it sends nothing and knows no task.
//
// A limit begins at its ceiling (max_in_flight, or all slots). It halves when the backend fails,
// refuses or does not answer, at most once per round trip: a call that began before the last
// halving says nothing new. It grows by one per round trip while it is used and the time to first
// token holds. The fleet's max_in_flight is enforced by the claim itself.
//
// Slots: models of which there is more than they were given share them evenly, so that a slow model
// cannot gather the slots that another needs; a few are kept for each model, however many others
// are slow.
//
// Thread rule: loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace sluice {

class Concurrency final {
 public:
  explicit Concurrency(int slots) : slots_(slots) {}

  void serve(const std::vector<Model>& models);

  // The end of a call, as evidence about its backend.
  struct End {
    int64_t begun_ns = 0;
    int64_t ended_ns = 0;
    bool is_overload = false;                     // 429, 5xx, no answer
    std::optional<int64_t> first_token_after_ns;  // of an answer: from its call's beginning
  };
  void note_begun(const std::string& model);
  void note_ended(const std::string& model, const End& end);

  // Whether shares() of all models would be above zero if a slot were free. Called at every
  // wake-up; like is_held_back() it takes constant time, however many models there are.
  bool has_room() const { return with_room_ > 0; }

  // How many more calls of each of `models` may begin while `slots_free` of all slots are free.
  std::vector<int> shares(const std::vector<std::string>& models, int slots_free) const;

  // How many tasks one claim may ask of `models` together, when each may give its share: without
  // the slots that are kept for others. Each share alone leaves them, but not all at once.
  int claim_max(const std::vector<std::string>& models, const std::vector<int>& shares,
                int slots_free) const;

  // Notes what a claim of `asked` tasks in all brought: models that gave all that was asked of them
  // have more.
  void note_claimed(int asked, const std::vector<std::string>& models,
                    const std::vector<int>& shares, const std::map<std::string, int>& taken);
  // Whether some model has more tasks than it may run now, so that a claim pays whenever a call has
  // ended.
  bool is_held_back() const { return wanting_more_ > 0; }

  // Whether an urgent task may begin in addition: its model is below its limit, or is limited only
  // by the number of slots.
  bool may_begin_urgent(const std::string& model) const;

  int limit(const std::string& model) const;

 private:
  struct Served {
    int floor = 1;
    int ceiling = 1;
    double limit = 1;
    int in_flight = 0;
    bool wants_more = false;  // the last claim got all that it asked of this model
    std::optional<int64_t> halved_ns;
    double first_token_short_ns =
        0;  // average over about 8 answers, and over about 64; 0: none yet
    double first_token_long_ns = 0;

    void halve(int64_t now_ns);
    void grow(int64_t first_token_after_ns);
    bool has_room() const { return in_flight < static_cast<int>(limit); }
  };
  void set_wants_more(Served& served, bool wants_more);
  // The slots that are kept for models with few calls or none.
  struct KeptSlots {
    int unused;        // by models that have no more than what is kept for each
    int shortfall;     // what all lack of what is kept for each; with many models more than unused
    int of_satisfied;  // of the models that got all they asked for
  };
  int kept_for(const Served& served) const;
  int shortfall(const Served& served) const;  // what it lacks of them
  KeptSlots kept_slots() const;
  int reserve(const Served& served, int even) const;

  int slots_;
  std::map<std::string, Served> served_;
  // Of them:
  int wanting_more_ = 0;
  int with_room_ = 0;
};

}  // namespace sluice
