#include "api/pg_pool.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>

#include "bounds.h"
#include "db/mend.h"

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
  std::shared_ptr<PgConnection> connection;  // its mend() keeps it, too
  Signal lost;
};

PgPool::PgPool(Loop& loop, Clock& clock, const std::string& conninfo, int connections,
               DatabaseBreakerLimits breaker)
    : loop_(loop), clock_(clock), conninfo_(conninfo), breaker_(clock, breaker) {
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
    member.connection = std::make_shared<PgConnection>(loop_, clock_, conninfo);
    member.connection->on_lost = [&member] { member.lost.raise(); };
    Result<void> connected = co_await member.connection->connect(bounds::connect_timeout_ms);
    if (connected) {
      pause_ms = bounds::reconnect_pause_ms_base;
      tasks_.spawn(mend(member.connection));  // ahead of all other statements
      co_await member.lost.wait();
      spdlog::warn("a database connection was lost");
    } else {
      pause_ms = std::min(pause_ms * 2, bounds::reconnect_pause_ms_max);
    }
    co_await sleep_until(clock_, clock_.now_ns() + with_jitter(pause_ms) * ns_per_ms);
  }
}

// An error is the next statement's, too; and a schema that is older knows no such function.
Task<void> PgPool::mend(std::shared_ptr<PgConnection> connection) {
  int64_t mended = 0;
  do {
    Result<PgResult> reply = co_await connection->query(mend_sequences_sql, PgParams());
    mended = reply ? reply->int64(0, 0) : 0;
    if (mended > 0) spdlog::warn("made {} damaged sequence(s) anew", mended);
  } while (mended > 0);
}

void PgPool::mend_where_open() {
  for (const auto& member : members_) {
    if (!member->connection || !member->connection->is_open()) continue;
    return tasks_.spawn(mend(member->connection));
  }
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
  if (!rows && rows.error().code == damaged_sqlstate) mend_where_open();
  if (was_asked) pass.note(!rows && is_the_databases(rows.error()));
  co_return rows;
}

Task<Result<PgResult>> PgPool::query_unguarded(std::string sql, PgParams params) {
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
