// Completer keeps the outcomes of ended calls, across reconnects, until the database has stored
// them. It sends nothing. Models take turns, so that one whose answers are many delays the others'
// by one completion. Its size is bounded by the worker's slots and one batch: a call holds its slot
// until its outcome has been sent, and a batch may come back.
//
// Thread rule: loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "worker/database.h"

namespace sluice {

// Whether it is more than a completion may have together, so that it goes alone.
bool is_large(const Outcome& outcome);

class Completer final {
 public:
  struct Batch {
    int64_t worker = 0;  // the id that claimed them: one statement speaks for one id
    std::vector<EndedCall> ended;
    bool was_aside = false;
  };

  void add(int64_t worker, EndedCall ended);
  bool empty() const { return size_ == 0; }
  // Whether there is more than what is set aside.
  bool has_next() const { return size_ > aside_.size(); }
  size_t size() const { return size_; }
  bool contains(const TaskKey& key) const;

  // Outcomes of one worker id, bounded by rows and bytes: each model's oldest in turns. Requires:
  // has_next().
  Batch take();

  // The batch was not stored, or nobody knows: it goes first next time. sluice.complete may be
  // repeated.
  void put_back(Batch batch);

  // The batch was refused. Next time it goes in halves, at last singly. If what a single one says
  // is refused it becomes a plain failure without texts; otherwise, or if even that is refused, it
  // is set aside.
  void put_back_refused(Batch batch, const Error& error);

  bool has_aside() const { return !aside_.empty(); }
  // The one that has been aside for longest, to see whether it is stored now. Requires:
  // has_aside().
  Batch take_aside();
  // It was: the others go first next time.
  void take_up_aside();

  // A batch was stored: full size again.
  void note_stored() { rows_max_ = 0; }

 private:
  struct Waiting {
    int64_t worker;
    EndedCall ended;
    size_t bytes;
  };
  using Queue = std::deque<Waiting>;

  size_t rows_max() const;
  void take_again(Batch& batch);
  void take_in_turns(Batch& batch);
  void move_front(Queue& queue, Batch& batch);

  Queue again_;                          // these go first, in their order, by themselves
  Queue aside_;                          // refused singly, kept
  std::map<std::string, Queue> queues_;  // by model, none of them empty
  std::string last_;                     // the model that had the last turn
  size_t size_ = 0;
  size_t rows_max_ = 0;  // 0: bounds::complete_rows_max
};

}  // namespace sluice
