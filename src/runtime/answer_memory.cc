#include "runtime/answer_memory.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

// Of the budget, one part in so many is for small answers alone.
constexpr int64_t small_part = 4;

// The allocator keeps what it has got, as pieces between pieces in use: worth a look (a millisecond
// for each 100 MB that it returns) when so much has been freed.
constexpr int64_t give_back_bytes_min = int64_t{32} << 20;

}  // namespace

AnswerMemory::Hold::Hold(AnswerMemory& memory, std::function<void()> on_room)
    : memory_(memory),
      on_room_(std::move(on_room)),
      place_(memory.growing_.insert(memory.growing_.end(), this)) {}

AnswerMemory::Hold::~Hold() {
  end();
  memory_.ended_bytes_ -= bytes_;
  memory_.wake_soon();
}

bool AnswerMemory::Hold::grow_to(int64_t bytes) {
  const bool had_waited = std::exchange(is_waiting_, !memory_.may_have(*this, bytes * copies));
  memory_.waiting_ += (is_waiting_ ? 1 : 0) - (had_waited ? 1 : 0);
  if (!is_waiting_) count(bytes);
  return !is_waiting_;
}

void AnswerMemory::Hold::grow_anyway_to(int64_t bytes) {
  if (std::exchange(is_waiting_, false)) --memory_.waiting_;
  count(bytes);
}

void AnswerMemory::Hold::count(int64_t bytes) {
  memory_.growing_bytes_ += bytes * copies - bytes_;
  memory_.most_bytes_ = std::max(memory_.most_bytes_, memory_.bytes());
  bytes_ = bytes * copies;
}

void AnswerMemory::Hold::end() {
  if (std::exchange(has_ended_, true)) return;
  if (std::exchange(is_waiting_, false)) --memory_.waiting_;
  if (memory_.beyond_ == this) memory_.beyond_ = nullptr;
  memory_.growing_.erase(place_);
  memory_.growing_bytes_ -= bytes_;
  memory_.ended_bytes_ += bytes_;
  memory_.wake_soon();
}

AnswerMemory::AnswerMemory(Loop& loop, int64_t bytes_max) : loop_(loop), bytes_max_(bytes_max) {}

bool AnswerMemory::may_have(Hold& hold, int64_t bytes) {
  const bool is_small = bytes <= small_bytes_max * copies;
  const int64_t all = this->bytes() + bytes - hold.bytes_;
  if (all <= (is_small ? bytes_max_ : bytes_max_ - bytes_max_ / small_part)) return true;
  if (beyond_ == nullptr && ended_bytes_ == 0) beyond_ = &hold;
  return beyond_ == &hold;
}

void AnswerMemory::wake_soon() {
  if (waiting_ == 0 && !has_shrunk()) return;
  loop_.post([self = std::weak_ptr<AnswerMemory*>(self_)] {
    if (const auto memory = self.lock()) (*memory)->wake();
  });
}

// Those that find no room wait again.
void AnswerMemory::wake() {
  std::list<Hold*> growing = growing_;
  for (Hold* hold : growing) {
    if (hold->is_waiting_) hold->on_room_();
  }
  if (!has_shrunk()) return;
  most_bytes_ = bytes();
  malloc_trim(0);
}

bool AnswerMemory::has_shrunk() const {
  return most_bytes_ - bytes() >= give_back_bytes_min && bytes() <= most_bytes_ / 4;
}

}  // namespace sluice
