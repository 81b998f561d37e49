// MemoryBudget bounds the memory of all texts of a kind together: of answers, from their first byte
// until they are stored, or of large requests, until they are sent. A text for which there is no
// memory waits. Three rules prevent a standstill:
// - A backend may use three times the memory that it leaves free, so that none, however slow, stops
//   another's texts.
// - Large texts may use only twice that, so that a usual one never waits for a giant.
// - When no text that takes memory can end, one text of each backend may grow beyond the budget: so
//   there is always one that can end and free its memory.
//
// Thread rule: loop thread only. The clock outlives it, and it outlives its Holds.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>

#include "runtime/clock.h"

namespace sluice {

class MemoryBudget final {
  struct Backend;

 public:
  // A text up to this size is a small one: 100,000 tokens.
  static constexpr int64_t small_bytes_max = int64_t{512} << 10;

  // The memory of one text: given back when it is destroyed.
  class Hold final {
   public:
    // `backend`: its host and port. `on_room`: it may try again. Called from the loop, while it
    // waits.
    Hold(MemoryBudget& memory, const std::string& backend, std::function<void()> on_room);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // The text is to have so many bytes; false: it must wait, and counts as before.
    bool grow_to(int64_t bytes);
    // It cannot wait.
    void grow_anyway_to(int64_t bytes);
    // It will not grow any more.
    void end();

   private:
    friend class MemoryBudget;
    void count(int64_t bytes, bool is_shared);
    int64_t bytes() const { return shared_bytes_ + other_bytes_; }

    MemoryBudget& memory_;
    Backend& backend_;
    std::function<void()> on_room_;
    int64_t shared_bytes_ = 0;  // of the budget, with its copies
    int64_t other_bytes_ = 0;   // beyond it
    bool is_waiting_ = false;
    bool has_ended_ = false;
    std::list<Hold*>::iterator place_;  // among those that grow
  };

  // `copies`: how often each text is held.
  MemoryBudget(Clock& clock, int64_t bytes_max, int64_t copies);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Bytes taken now, copies included.
  int64_t bytes() const { return shared_bytes_ + other_bytes_; }
  // For answers that cannot wait: whether the budget is spent twice.
  bool is_spent_twice() const { return bytes() > 2 * bytes_max_; }

 private:
  struct Backend {
    std::string name;
    size_t holds = 0;
    int64_t shared_bytes = 0;
    int64_t ended_bytes = 0;
    const Hold* beyond = nullptr;  // the one that may grow beyond the budget
  };

  bool has_room(const Hold& hold, int64_t bytes) const;
  void wake_soon();
  void wake();
  bool has_shrunk() const;

  Clock& clock_;
  int64_t bytes_max_;
  int64_t copies_;
  std::unordered_map<std::string, Backend> backends_;  // those with holds
  int64_t shared_bytes_ = 0;                           // never more than bytes_max_
  int64_t other_bytes_ = 0;
  int64_t most_bytes_ = 0;    // since memory was given back last
  int waiting_ = 0;           // of those that grow
  std::list<Hold*> growing_;  // from the oldest
  Clock::TimerId wake_timer_ = 0;
};

}  // namespace sluice
