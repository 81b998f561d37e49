#include "api/pg_pool.h"

#include <fmt/format.h>
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

// Whether the database is to blame, not the statement: lost connections, no resources, shutting
// down, I/O errors.
bool is_the_databases(const Error& error) {
  const std::string_view code = error.code;
  return error.action == Error::Action::reconnect || code.starts_with("53") ||
         code.starts_with("57P") || code.starts_with("58");
}

}  // namespace

struct PgPool::Member {
  std::unique_ptr<PgConnection> connection;
  bool is_warm = false;
  Signal lost;

  bool is_open() const { return connection && connection->is_open(); }
  // Whether it is to have the next statement rather than `other`.
  bool precedes(const Member& other) const {
    if (is_warm != other.is_warm) return is_warm;
    return connection->queries_pending() < other.connection->queries_pending();
  }
};

PgPool::PgPool(Loop& loop, Clock& clock, const std::string& conninfo, int connections,
               std::string warm_up_sql, DatabaseBreakerLimits breaker)
    : loop_(loop),
      clock_(clock),
      conninfo_(conninfo),
      warm_up_sql_(std::move(warm_up_sql)),
      breaker_(clock, breaker),
      starting_(connections) {
  for (int i = 0; i < connections; ++i) {
    members_.push_back(std::make_unique<Member>());
    tasks_.spawn(keep_open(*members_.back()));
  }
}

PgPool::~PgPool() {
  for (const auto& member : members_) {
    if (member->connection) member->connection->close();
  }
}

bool PgPool::is_connected() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const auto& member) { return member->is_open(); });
}

Task<void> PgPool::keep_open(Member& member) {
  int64_t pause_ms = bounds::reconnect_pause_ms_base;
  bool is_first = true;
  while (true) {
    const Result<void> connected = co_await connect(member);
    if (std::exchange(is_first, false)) --starting_;
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

// A failure counts while there is no other connection: one too many is no fault of the database.
Task<Result<void>> PgPool::connect(Member& member) {
  member.is_warm = false;
  member.connection = std::make_unique<PgConnection>(loop_, clock_, conninfo_);
  member.connection->on_lost = [&member] { member.lost.raise(); };
  Result<void> connected = co_await member.connection->connect(bounds::connect_timeout_ms);
  if (connected || !is_connected()) breaker_.note_connection(!connected);
  if (connected && !warm_up_sql_.empty()) {
    Task<Result<PgResult>> reply = member.connection->query(warm_up_sql_, PgParams());
    const Result<PgResult> warm = co_await std::move(reply);
    if (!warm) spdlog::debug("a session is not warm: {}", warm.error().message);
  }
  member.is_warm = true;
  co_return connected;
}

Task<Result<PgResult>> PgPool::query(std::string sql, PgParams params) {
  std::optional<DatabaseBreaker::Pass> pass = breaker_.admit();
  if (pass) return watched(query_unguarded(std::move(sql), std::move(params)), std::move(*pass));
  const int64_t open_s = std::max<int64_t>(1, (breaker_.open_for_ms() + 999) / 1000);
  return refuse({Error::Action::retry_later, std::string(not_sent),
                 "the database has failed again and again",
                 fmt::format("Try again in about {} s.", open_s)});
}

Task<Result<PgResult>> PgPool::watched(Task<Result<PgResult>> reply, DatabaseBreaker::Pass pass) {
  Result<PgResult> rows = co_await std::move(reply);
  const bool was_asked = rows || rows.error().code != not_sent;
  if (was_asked) pass.note(!rows && is_the_databases(rows.error()));
  co_return rows;
}

Task<Result<PgResult>> PgPool::query_unguarded(std::string sql, PgParams params) {
  Member* idlest = nullptr;
  size_t pending = 0;
  for (const auto& member : members_) {
    if (!member->is_open()) continue;
    pending += member->connection->queries_pending();
    if (idlest == nullptr || member->precedes(*idlest)) idlest = member.get();
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
