#include "runtime/memory_budget.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

// Of what would then be left free a backend may have so much: small texts, and large ones.
constexpr int64_t small_share = 3;
constexpr int64_t large_share = 2;

// The allocator keeps what it has got, as pieces between pieces in use: worth a look (a millisecond
// for each 100 MB that it returns) when so much has been freed.
constexpr int64_t give_back_bytes_min = int64_t{32} << 20;

}  // namespace

MemoryBudget::Hold::Hold(MemoryBudget& memory, const std::string& backend,
                         std::function<void()> on_room)
    : memory_(memory),
      backend_(memory.backends_.try_emplace(backend).first->second),
      on_room_(std::move(on_room)),
      place_(memory.growing_.insert(memory.growing_.end(), this)) {
  if (backend_.holds++ == 0) backend_.name = backend;
}

MemoryBudget::Hold::~Hold() {
  end();
  memory_.shared_bytes_ -= shared_bytes_;
  memory_.other_bytes_ -= other_bytes_;
  backend_.shared_bytes -= shared_bytes_;
  backend_.ended_bytes -= bytes();
  if (--backend_.holds == 0) memory_.backends_.erase(std::string(backend_.name));
  memory_.wake_soon();
}

bool MemoryBudget::Hold::grow_to(int64_t bytes) {
  const bool is_shared = memory_.has_room(*this, bytes * memory_.copies_);
  if (!is_shared && backend_.beyond == nullptr && backend_.ended_bytes == 0) {
    backend_.beyond = this;
  }
  const bool had_waited = std::exchange(is_waiting_, !is_shared && backend_.beyond != this);
  memory_.waiting_ += (is_waiting_ ? 1 : 0) - (had_waited ? 1 : 0);
  if (!is_waiting_) count(bytes * memory_.copies_, is_shared);
  return !is_waiting_;
}

void MemoryBudget::Hold::grow_anyway_to(int64_t bytes) {
  if (std::exchange(is_waiting_, false)) --memory_.waiting_;
  const int64_t held = bytes * memory_.copies_;
  count(held, memory_.has_room(*this, held));
}

void MemoryBudget::Hold::count(int64_t bytes, bool is_shared) {
  const int64_t more = bytes - this->bytes();
  (is_shared ? shared_bytes_ : other_bytes_) += more;
  (is_shared ? memory_.shared_bytes_ : memory_.other_bytes_) += more;
  if (is_shared) backend_.shared_bytes += more;
  memory_.most_bytes_ = std::max(memory_.most_bytes_, memory_.bytes());
}

void MemoryBudget::Hold::end() {
  if (std::exchange(has_ended_, true)) return;
  if (std::exchange(is_waiting_, false)) --memory_.waiting_;
  if (backend_.beyond == this) backend_.beyond = nullptr;
  memory_.growing_.erase(place_);
  backend_.ended_bytes += bytes();
  memory_.wake_soon();
}

MemoryBudget::MemoryBudget(Clock& clock, int64_t bytes_max, int64_t copies)
    : clock_(clock), bytes_max_(bytes_max), copies_(copies) {}

MemoryBudget::~MemoryBudget() {
  clock_.cancel(wake_timer_);
}

bool MemoryBudget::has_room(const Hold& hold, int64_t bytes) const {
  const int64_t more = bytes - hold.bytes();
  const int64_t share = bytes <= small_bytes_max * copies_ ? small_share : large_share;
  return hold.backend_.shared_bytes + more <= share * (bytes_max_ - shared_bytes_ - more);
}

void MemoryBudget::wake_soon() {
  if (wake_timer_ != 0 || (waiting_ == 0 && !has_shrunk())) return;
  wake_timer_ = clock_.call_at(clock_.now_ns(), [this] {
    wake_timer_ = 0;
    wake();
  });
}

// Those that find no room wait again.
void MemoryBudget::wake() {
  std::list<Hold*> growing = growing_;
  for (Hold* hold : growing) {
    if (hold->is_waiting_) hold->on_room_();
  }
  if (!has_shrunk()) return;
  most_bytes_ = bytes();
  malloc_trim(0);
}

bool MemoryBudget::has_shrunk() const {
  return most_bytes_ - bytes() >= give_back_bytes_min && bytes() <= most_bytes_ / 4;
}

}  // namespace sluice
