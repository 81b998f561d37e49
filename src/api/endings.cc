#include "api/endings.h"

#include <algorithm>

#include "runtime/pg_array.h"

namespace sluice {
namespace {

constexpr int ids_max = 5'000;  // in one statement, which takes 2 to 5 ms
// At most a tenth of the time goes into looking.
constexpr int64_t pause_ns_min = 20 * ns_per_ms;
constexpr int64_t pause_ns_max = 100 * ns_per_ms;
// How often a waiter's client is looked for: one that has gone is to give its place back.
constexpr int64_t client_look_ns = ns_per_s;
constexpr int64_t parked_look_ns = 10 * ns_per_s;
constexpr const char* ended_sql = "select sluice.ended($1::bigint[])";
constexpr const char* ended_or_parked_sql =
    "select sluice.ended($1::bigint[]) union select sluice.parked($1::bigint[])";

}  // namespace

// One waiter's place in the list; leaves it with the waiter.
struct Endings::Place {
  Place(Waiters& waiters_, int64_t id)
      : waiters(waiters_), position(waiters_.emplace(id, &signal)) {}
  ~Place() { waiters.erase(position); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Signal signal;
  Waiters& waiters;
  Waiters::iterator position;
};

Co<void> Endings::wait(int64_t id, int64_t deadline_ns, std::function<bool()> is_awaited) {
  if (released_) co_return;
  Place place(waiters_, id);
  if (!std::exchange(looking_, true)) coroutines_.spawn(look_while_awaited());
  while (is_awaited() && clock_.now_ns() < deadline_ns) {
    const int64_t look_ns = std::min(deadline_ns, clock_.now_ns() + client_look_ns);
    if (co_await place.signal.wait_until(clock_, look_ns)) co_return;
  }
}

void Endings::release() {
  released_ = true;
  for (const auto& [id, signal] : waiters_) signal->raise();
}

Co<void> Endings::look_while_awaited() {
  while (!waiters_.empty()) {
    const int64_t begun_ns = clock_.now_ns();
    const bool is_for_parked = begun_ns >= parked_look_at_ns_;
    if (is_for_parked) parked_look_at_ns_ = begun_ns + parked_look_ns;
    const char* const statement = is_for_parked ? ended_or_parked_sql : ended_sql;
    int64_t last = 0;
    for (auto next = waiters_.upper_bound(0); next != waiters_.end();
         next = waiters_.upper_bound(last)) {
      const int64_t after = last;
      co_await look(statement, after, &last);
    }
    const int64_t now_ns = clock_.now_ns();
    const int64_t pause_ns = std::clamp(10 * (now_ns - begun_ns), pause_ns_min, pause_ns_max);
    co_await sleep_until(clock_, now_ns + pause_ns);
  }
  looking_ = false;
}

// For the waiting ids above `after`, as many as fit a statement; *last: the last of them. If
// the database does not answer, the next look asks again.
Co<void> Endings::look(const char* statement, int64_t after, int64_t* last) {
  std::vector<int64_t> ids;
  for (auto next = waiters_.upper_bound(after); next != waiters_.end() && ids.size() < ids_max;
       next = waiters_.upper_bound(ids.back())) {
    ids.push_back(next->first);
  }
  *last = ids.back();
  PgParams params = {pg_array(ids)};
  Co<Result<PgResult>> reply = database_.query(statement, std::move(params));
  Result<PgResult> ended = co_await std::move(reply);
  for (int row = 0; ended && row < ended->rows(); ++row) wake(ended->int64(row, 0));
}

void Endings::wake(int64_t id) {
  const auto [first, last] = waiters_.equal_range(id);
  for (auto waiter = first; waiter != last; ++waiter) waiter->second->raise();
}

}  // namespace sluice
