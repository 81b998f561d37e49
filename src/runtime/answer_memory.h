// AnswerMemory bounds the memory of all answers together, from their first byte until they are
// stored. One that may not grow waits, and its sender with it. Three rules keep the others going:
// a backend may have three times what it leaves free, so that none, however long it takes over its
// answers, stops another's; only twice that for large answers, so that a usual one never waits
// for a giant; and one of each backend may grow beyond it, once nothing takes memory that has ended
// there: so there is always one that can end, and makes room.
//
// Thread rule: loop thread only. The loop outlives it, and it outlives its Holds.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "runtime/loop.h"

namespace sluice {

class AnswerMemory final {
  struct Backend;

 public:
  // What an answer takes: its bytes as they came, and again as the text taken out of them.
  static constexpr int64_t copies = 2;
  // Of a worker's 400 slots each may have 320 KiB of answer; a usual one has 10.
  static constexpr int64_t bytes_max_default = int64_t{256} << 20;
  // Two answers of the largest size, and a part for the small ones.
  static constexpr int64_t bytes_max_least = int64_t{128} << 20;
  static constexpr int64_t bytes_max_most = int64_t{1} << 40;  // more is a slip of the pen
  // An answer up to this size is a small one: 100,000 tokens of text.
  static constexpr int64_t small_bytes_max = int64_t{512} << 10;

  // The memory of one answer: given back when it is destroyed.
  class Hold final {
   public:
    // `backend`: its host and port. `on_room`: it may try again. Called from the loop, while it
    // waits.
    Hold(AnswerMemory& memory, const std::string& backend, std::function<void()> on_room);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // The answer is to have so many bytes; false: it must wait, and counts as before.
    bool grow_to(int64_t bytes);
    // It cannot wait.
    void grow_anyway_to(int64_t bytes);
    // It will not grow any more.
    void end();

   private:
    friend class AnswerMemory;
    void count(int64_t bytes, bool is_shared);
    int64_t bytes() const { return shared_bytes_ + other_bytes_; }

    AnswerMemory& memory_;
    Backend& backend_;
    std::function<void()> on_room_;
    int64_t shared_bytes_ = 0;  // of the budget, with its copies
    int64_t other_bytes_ = 0;   // beyond it
    bool is_waiting_ = false;
    bool has_ended_ = false;
    std::list<Hold*>::iterator place_;  // among those that grow
  };

  AnswerMemory(Loop& loop, int64_t bytes_max);
  AnswerMemory(const AnswerMemory&) = delete;
  AnswerMemory& operator=(const AnswerMemory&) = delete;

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

  Loop& loop_;
  int64_t bytes_max_;
  std::unordered_map<std::string, Backend> backends_;  // those with holds
  int64_t shared_bytes_ = 0;                           // never more than bytes_max_
  int64_t other_bytes_ = 0;
  int64_t most_bytes_ = 0;    // since memory was given back last
  int waiting_ = 0;           // of those that grow
  std::list<Hold*> growing_;  // from the oldest
  // What a posted function knows us by: it may come after our end.
  std::shared_ptr<AnswerMemory*> self_ = std::make_shared<AnswerMemory*>(this);
};

}  // namespace sluice
