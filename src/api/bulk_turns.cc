#include "api/bulk_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/error_reply.h"

namespace sluice {

HttpReply BulkTurns::refusal() const {
  return overloaded_reply(
      fmt::format("{} bulk requests of this key are under way", requests_of_key_max_));
}

BulkTurns::Place::Place(BulkTurns& turns, const HttpIncoming& incoming)
    : turns_(turns), incoming_(incoming), is_taken_(turns.has_room(incoming.client)) {
  if (is_taken_) turns_.keys_[incoming.client].push_back(&incoming);
}

BulkTurns::Place::~Place() {
  if (!is_taken_) return;
  const auto key = turns_.keys_.find(incoming_.client);
  key->second.remove(&incoming_);
  if (key->second.empty()) turns_.keys_.erase(key);
}

Co<Result<PgResult>> BulkTurns::Place::query(std::string sql, PgParams params) {
  // It may be its turn again at once, and then the pool does not look.
  if (!incoming_.is_awaited()) {
    co_return tl::unexpected(PgPool::unawaited());
  }
  Co<Result<PgResult>> reply = turns_.database_.query(incoming_, std::move(sql), std::move(params));
  co_return co_await std::move(reply);
}

bool BulkTurns::has_room(const std::string& key) {
  const auto found = keys_.find(key);
  if (found == keys_.end() || found->second.size() < requests_of_key_max_) return true;
  database_.drop_unawaited(key);
  const auto is_awaited = [](const HttpIncoming* request) { return request->is_awaited(); };
  const auto awaited = std::count_if(found->second.begin(), found->second.end(), is_awaited);
  return static_cast<size_t>(awaited) < requests_of_key_max_;
}

}  // namespace sluice
