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
// are slow. They are kept for each backend (scheme, host and port) first, and for each of its
// models then: else many models of one backend would take all that is kept.
//
// Urgent tasks (priority above 0) share the slots like all others. For those that find none there
// are a few more, of which no model and no backend has more than half while there are others. A
// call in one of these has none of the usual slots, so it takes none that are kept.
//
// Thread rule: loop thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace sluice {

class Concurrency final {
 public:
  explicit Concurrency(int slots);
  // How many more there are for urgent tasks.
  static int urgent_slots(int slots);

  void serve(const std::vector<Model>& models);

  // The end of a call, as evidence about its backend.
  struct End {
    int64_t begun_ns = 0;
    int64_t ended_ns = 0;
    bool is_overload = false;                     // 429, 5xx, no answer
    std::optional<int64_t> first_token_after_ns;  // of an answer: from its call's beginning
  };
  void note_begun(const std::string& model, bool in_urgent_slot = false);
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

  // What may begin in the slots for urgent tasks: so many at most, of any of these models. Each is
  // below its limit, or is limited only by the number of slots.
  struct Urgent {
    std::vector<std::string> models;
    int most = 0;
  };
  Urgent urgent() const;
  int urgent_in_flight() const { return urgent_in_flight_; }
  bool has_urgent_slot() const { return urgent_in_flight_ < urgent_slots_; }

  int limit(const std::string& model) const;

 private:
  struct Served {
    int id = 0;
    int floor = 1;
    int ceiling = 1;
    double limit = 1;
    int in_flight = 0;
    int urgent = 0;  // of them, in the slots for urgent tasks
    size_t backend = 0;
    bool wants_more = false;  // the last claim got all that it asked of this model
    std::optional<int64_t> halved_ns;
    double first_token_short_ns =
        0;  // average over about 8 answers, and over about 64; 0: none yet
    double first_token_long_ns = 0;

    void halve(int64_t now_ns);
    void grow(int64_t first_token_after_ns);
    bool has_room() const { return in_flight < static_cast<int>(limit); }
  };
  void note_renamed(const std::vector<Model>& models);
  Served* find(const std::string& model);
  void set_wants_more(Served& served, bool wants_more);
  // What is kept for a model, or for the models of a backend together.
  struct Part {
    int kept = 0;
    int in_flight = 0;
    int lacking() const { return std::max(0, kept - in_flight); }
  };
  // The slots that are kept for several of them.
  struct Pool {
    int unused = 0;   // by those that have no more than their part
    int lacking = 0;  // what all lack of their parts; with many of them more than unused
    void add(const Part& part);
    int needed() const { return std::min(lacking, std::max(0, unused)); }
    int needed_beside(const Part& part) const {
      return std::min(lacking - part.lacking(), std::max(0, unused));
    }
  };
  struct KeptSlots {
    std::vector<Part> backends;
    std::vector<Pool> models;  // of each backend
    int unused = 0;            // by backends that have no more than their part
    int needed = 0;            // by models of all backends
    int of_satisfied = 0;      // of the models that got all they asked for

    int for_other_backends(size_t backend) const;
    int for_others(size_t backend, const Part& part) const;
  };
  Part part_of(const Served& served) const;
  int kept_for_backend() const;
  KeptSlots kept_slots() const;
  int reserve(const Served& served, int even) const;

  int slots_;
  int urgent_slots_;
  int urgent_in_flight_ = 0;
  std::vector<int> models_of_backend_;
  std::map<std::string, Served> served_;
  std::map<std::string, std::string> renamed_;  // by their former names, while they are served
  // Of them:
  int wanting_more_ = 0;
  int with_room_ = 0;
};

}  // namespace sluice
