// Completer keeps the outcomes of ended calls, across reconnects, until the database has stored
// them. It sends nothing. Its size is bounded by the worker's slots and one batch: a call holds its
// slot until its outcome has been sent, and a batch may come back.
//
// Thread rule: loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "worker/database.h"

namespace sluice {

class Completer final {
 public:
  struct Batch {
    int64_t worker = 0;  // the id that claimed them: one statement speaks for one id
    std::vector<EndedCall> ended;
  };

  void add(int64_t worker, EndedCall ended);
  bool empty() const { return waiting_.empty(); }
  size_t size() const { return waiting_.size(); }
  bool contains(const TaskKey& key) const;

  // The oldest outcomes of one worker id, bounded by rows and bytes. Requires: not empty().
  Batch take();

  // The batch was not stored, or nobody knows: it goes first next time. sluice.complete may be
  // repeated.
  void put_back(Batch batch);

  // The batch was refused. Next time it goes in halves, at last singly; a single one becomes a
  // plain failure without texts; if even that is refused it is dropped: false.
  bool put_back_refused(Batch batch, const Error& error);

  // A batch was stored: full size again.
  void note_stored() { rows_max_ = 0; }

 private:
  struct Waiting {
    int64_t worker;
    EndedCall ended;
  };
  std::deque<Waiting> waiting_;
  size_t rows_max_ = 0;  // 0: bounds::complete_rows_max
};

}  // namespace sluice
