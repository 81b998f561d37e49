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

// A connection of which so many replies, or one for so long, are outstanding is reason for another:
// a statement takes a millisecond or less, a connection five.
constexpr size_t busy_statements = 4;
constexpr int64_t busy_ms = 5;
// As long as a person thinks between two bursts of requests.
constexpr int64_t idle_close_ms = 60'000;

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
  bool is_open() const { return connection && connection->is_open(); }
  // Whoever comes now would have to wait for others.
  bool is_busy() const {
    return connection->queries_pending() >= busy_statements ||
           connection->unanswered_ms() >= busy_ms;
  }

  const bool is_kept;
  std::shared_ptr<PgConnection> connection;  // its mend() keeps it, too
  bool is_wanted = false;                    // of one that is not kept: open it
  bool is_warm = false;
  int64_t used_ns = 0;
  Signal change;  // wanted, or lost

  // Whether it is to have the next statement rather than `other`.
  bool precedes(const Member& other) const {
    if (is_warm != other.is_warm) return is_warm;
    return connection->queries_pending() < other.connection->queries_pending();
  }
};

PgPool::PgPool(Loop& loop, Clock& clock, PgServers& servers, PgPoolSize size,
               std::string warm_up_sql, DatabaseBreakerLimits breaker)
    : loop_(loop),
      clock_(clock),
      servers_(servers),
      warm_up_sql_(std::move(warm_up_sql)),
      breaker_(clock, breaker),
      starting_(size.kept) {
  for (int i = 0; i < size.max; ++i) {
    members_.push_back(std::make_unique<Member>(i < size.kept));
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
    while (!member.is_kept && !member.is_wanted) co_await member.change.wait();
    const Result<void> connected = co_await connect(member);
    if (std::exchange(is_first, false) && member.is_kept) --starting_;
    member.is_wanted = false;
    for (const auto& waiter : std::exchange(waiting_, {})) waiter->raise();
    if (connected) {
      pause_ms = bounds::reconnect_pause_ms_base;
      co_await until_lost_or_idle(member);
    } else {
      pause_ms = std::min(pause_ms * 2, bounds::reconnect_pause_ms_max);
    }
    co_await sleep_until(clock_, clock_.now_ns() + with_jitter(pause_ms) * ns_per_ms);
  }
}

// A failure counts while there is no other connection: one too many is no fault of the database.
Task<Result<void>> PgPool::connect(Member& member) {
  member.is_warm = false;
  member.connection = std::make_shared<PgConnection>(loop_, clock_, servers_);
  member.connection->on_lost = [&member] { member.change.raise(); };
  Result<void> connected = co_await member.connection->connect();
  if (connected || !is_connected()) breaker_.note_connection(!connected);
  if (connected) tasks_.spawn(mend(member.connection));  // ahead of all other statements
  if (connected && !warm_up_sql_.empty()) {
    Task<Result<PgResult>> reply = member.connection->query(warm_up_sql_, PgParams());
    const Result<PgResult> warm = co_await std::move(reply);
    if (!warm) spdlog::debug("a session is not warm: {}", warm.error().message);
  }
  member.is_warm = true;
  co_return connected;
}

Task<void> PgPool::until_lost_or_idle(Member& member) {
  member.used_ns = clock_.now_ns();
  while (member.is_kept && member.is_open()) co_await member.change.wait();
  while (member.is_open()) {
    const int64_t idle_at_ns = member.used_ns + idle_close_ms * ns_per_ms;
    co_await member.change.wait_until(clock_, idle_at_ns);
    if (member.connection->queries_pending() > 0) {
      member.used_ns = clock_.now_ns();
    } else if (clock_.now_ns() >= member.used_ns + idle_close_ms * ns_per_ms) {
      member.connection->close();
    }
  }
}

PgPool::Member* PgPool::idlest() {
  Member* idlest = nullptr;
  for (const auto& member : members_) {
    if (!member->is_open()) continue;
    if (idlest == nullptr || member->precedes(*idlest)) idlest = member.get();
  }
  return idlest;
}

// One at a time: a burst that ends while it connects needs no more.
void PgPool::open_another() {
  Member* closed = nullptr;
  for (const auto& member : members_) {
    if (member->is_wanted) return;
    if (!member->is_kept && !member->is_open()) closed = member.get();
  }
  if (closed == nullptr) return;
  closed->is_wanted = true;
  closed->change.raise();
}

// An error is the next statement's, too; and a schema that is older knows no such function. One at
// a time: it may wait a second for another process's, and all that is sent later waits behind it.
Task<void> PgPool::mend(std::shared_ptr<PgConnection> connection) {
  if (std::exchange(is_mending_, true)) co_return;
  int64_t mended = 0;
  do {
    Result<PgResult> reply = co_await connection->query(mend_sequences_sql, PgParams());
    mended = reply ? reply->int64(0, 0) : 0;
    if (mended > 0) spdlog::warn("made {} damaged sequence(s) anew", mended);
  } while (mended > 0);
  is_mending_ = false;
}

void PgPool::mend_where_open() {
  for (const auto& member : members_) {
    if (!member->connection || !member->connection->is_open()) continue;
    return tasks_.spawn(mend(member->connection));
  }
}

Task<Result<PgResult>> PgPool::query(std::string sql, PgParams params) {
  std::optional<DatabaseBreaker::Pass> pass = breaker_.admit();
  const Member* member = idlest();
  if (pass && member != nullptr && member->is_busy()) open_another();
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
  size_t pending = waiting_.size();
  for (const auto& member : members_) {
    if (member->is_open()) pending += member->connection->queries_pending();
  }
  if (pending >= statements_max) {
    return refuse({Error::Action::retry_later, std::string(not_sent), "too many requests at once"});
  }
  if (Member* member = idlest()) {
    member->used_ns = clock_.now_ns();
    return member->connection->query(std::move(sql), std::move(params));
  }
  if (!members_.front()->is_kept) return query_when_open(std::move(sql), std::move(params));
  return refuse({Error::Action::reconnect, std::string(not_sent), "no database connection"});
}

Task<Result<PgResult>> PgPool::query_when_open(std::string sql, PgParams params) {
  if (idlest() == nullptr) {
    const auto opened = std::make_shared<Signal>();
    waiting_.push_back(opened);
    open_another();
    co_await opened->wait();
  }
  Task<Result<PgResult>> reply =
      refuse({Error::Action::reconnect, std::string(not_sent), "no database connection"});
  if (Member* member = idlest()) {
    reply = member->connection->query(std::move(sql), std::move(params));
  }
  co_return co_await std::move(reply);
}

}  // namespace sluice
