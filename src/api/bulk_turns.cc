#include "api/bulk_turns.h"

#include <fmt/format.h>

#include <utility>

#include "api/error_reply.h"

namespace sluice {

HttpReply BulkTurns::refusal() const {
  HttpReply reply =
      error_reply(503, "overloaded",
                  fmt::format("{} bulk requests of this key are under way", requests_of_key_max_));
  reply.headers.emplace_back("Retry-After", "5");
  return reply;
}

BulkTurns::Place::Place(BulkTurns& turns, const HttpIncoming& incoming)
    : turns_(turns), incoming_(incoming) {
  taken_ = turns_.take_place(*this);
}

BulkTurns::Place::~Place() {
  turns_.end_turn(*this);
  turns_.give_up_place(*this);
}

Task<Result<PgResult>> BulkTurns::Place::query(std::string sql, PgParams params) {
  turns_.line_up(*this);
  co_await turn_.wait();
  if (turns_.running_ != this) {
    co_return tl::unexpected(Error{Error::Action::refuse, std::string(PgPool::not_sent),
                                   "nobody waits for the answer any more"});
  }
  Task<Result<PgResult>> reply = turns_.database_.query(std::move(sql), std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  turns_.end_turn(*this);
  co_return rows;
}

bool BulkTurns::take_place(Place& place) {
  Key& key = keys_[place.incoming_.client];
  if (key.places >= requests_of_key_max_) {
    const std::list<Place*> waiting = key.waiting;
    for (Place* other : waiting) {
      if (!other->is_awaited()) give_up_place(*other);
    }
  }
  // Those that gave up may have been the last.
  Key& left = keys_[place.incoming_.client];
  if (left.places >= requests_of_key_max_) return false;
  ++left.places;
  return true;
}

// Harmless when it has none. Whoever waits there goes on.
void BulkTurns::give_up_place(Place& place) {
  if (!std::exchange(place.taken_, false)) return;
  const auto key = keys_.find(place.incoming_.client);
  key->second.waiting.remove(&place);
  if (--key->second.places == 0) keys_.erase(key);
  place.turn_.raise();
}

void BulkTurns::line_up(Place& place) {
  keys_.at(place.incoming_.client).waiting.push_back(&place);
  begin_turn();
}

void BulkTurns::end_turn(Place& place) {
  if (running_ != &place) return;
  running_ = nullptr;
  begin_turn();
}

void BulkTurns::begin_turn() {
  while (running_ == nullptr) {
    Place* place = next_place();
    if (place == nullptr) return;
    if (place->is_awaited()) {
      running_ = place;
      place->turn_.raise();
    } else {
      give_up_place(*place);
    }
  }
}

// The first that waits of the next key; it waits no more. Null: nobody waits.
BulkTurns::Place* BulkTurns::next_place() {
  auto key = keys_.upper_bound(last_key_);
  for (size_t looked = 0; looked < keys_.size(); ++looked, ++key) {
    if (key == keys_.end()) key = keys_.begin();
    if (key->second.waiting.empty()) continue;
    Place* place = key->second.waiting.front();
    key->second.waiting.pop_front();
    last_key_ = key->first;
    return place;
  }
  return nullptr;
}

}  // namespace sluice
