#include "api/pg_pool.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>

#include "bounds.h"

namespace sluice {
namespace {

// Under way on all connections: some seconds of work, and their texts are in memory.
constexpr size_t statements_max = 20'000;

Task<Result<PgResult>> refuse(Error error) {
  co_return tl::unexpected(std::move(error));
}

// Between half of `pause_ms` and all of it, so that processes do not come back in step.
int64_t with_jitter(int64_t pause_ms) {
  static std::minstd_rand random(std::random_device{}());
  return std::uniform_int_distribution<int64_t>(pause_ms / 2, pause_ms)(random);
}

}  // namespace

struct PgPool::Member {
  std::unique_ptr<PgConnection> connection;
  Signal lost;
};

PgPool::PgPool(Loop& loop, Clock& clock, const std::string& conninfo, int connections)
    : loop_(loop), clock_(clock), conninfo_(conninfo) {
  for (int i = 0; i < connections; ++i) {
    members_.push_back(std::make_unique<Member>());
    tasks_.spawn(keep_open(*members_.back(), conninfo_));
  }
}

PgPool::~PgPool() {
  for (const auto& member : members_) {
    if (member->connection) member->connection->close();
  }
}

Task<void> PgPool::keep_open(Member& member, const std::string& conninfo) {
  int64_t pause_ms = bounds::reconnect_pause_ms_base;
  while (true) {
    member.connection = std::make_unique<PgConnection>(loop_, clock_, conninfo);
    member.connection->on_lost = [&member] { member.lost.raise(); };
    Result<void> connected = co_await member.connection->connect(bounds::connect_timeout_ms);
    if (connected) {
      pause_ms = bounds::reconnect_pause_ms_base;
      co_await member.lost.wait();
      spdlog::warn("a database connection was lost");
    } else {
      pause_ms = std::min(pause_ms * 2, bounds::reconnect_pause_ms_max);
    }
    co_await sleep_until(clock_, clock_.now_ns() + with_jitter(pause_ms) * ns_per_ms);
  }
}

Task<Result<PgResult>> PgPool::query(std::string sql, PgParams params) {
  Member* idlest = nullptr;
  size_t pending = 0;
  for (const auto& member : members_) {
    if (!member->connection || !member->connection->is_open()) continue;
    pending += member->connection->queries_pending();
    if (idlest == nullptr ||
        member->connection->queries_pending() < idlest->connection->queries_pending()) {
      idlest = member.get();
    }
  }
  if (idlest == nullptr) {
    return refuse({Error::Action::reconnect, std::string(not_sent), "no database connection"});
  }
  if (pending >= statements_max) {
    return refuse({Error::Action::retry_later, std::string(not_sent), "too many requests at once"});
  }
  return idlest->connection->query(std::move(sql), std::move(params));
}

}  // namespace sluice
