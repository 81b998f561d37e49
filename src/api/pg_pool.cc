#include "api/pg_pool.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "bounds.h"
#include "counted.h"
#include "db/mend.h"
#include "runtime/backoff.h"

namespace sluice {
namespace {

// Under way on all connections: some seconds of work, and their texts are in memory.
constexpr size_t statements_max = 20'000;

// So many statements that wait, or one for so long, are reason for another connection: a statement
// takes a millisecond or less, a connection five.
constexpr size_t busy_statements = 4;
constexpr int64_t busy_ms = 5;
// A key's statements that take less are short: on a busy machine a millisecond's becomes as long.
constexpr int64_t quick_ms = 20;
constexpr int64_t turn_ns = quick_ms * ns_per_ms;
// What a key may owe, whatever its statements took: it waits for ten turns of each of the others.
constexpr int64_t debt_ns_max = 10 * turn_ns;
// A client that has waited for less than this is assumed to be there still: looking costs a system
// call.
constexpr int64_t leave_ms_min = 50;
// As long as a person thinks between two bursts of requests.
constexpr int64_t idle_close_ms = 60'000;

Co<Result<PgResult>> refuse(Error error) {
  co_return tl::unexpected(std::move(error));
}

// Whether the database is to blame, not the statement: lost connections, no resources, shutting
// down, I/O errors.
bool is_the_databases(const Error& error) {
  const std::string_view code = error.code;
  return error.action == Error::Action::reconnect || code.starts_with("53") ||
         code.starts_with("57P") || code.starts_with("58");
}

// Of so many connections: one is left to the server's own statements.
size_t for_requests(size_t connections) {
  return connections > 1 ? connections - 1 : connections;
}

Error no_connection() {
  return {Error::Action::reconnect, std::string(PgPool::not_sent), "no database connection"};
}

Error too_many(std::string message) {
  return {Error::Action::retry_later, std::string(PgPool::not_sent), std::move(message)};
}

}  // namespace

// A request's statement that waits for its turn.
struct PgPool::Waiting {
  const Requester& requester;
  const int64_t since_ns;
  Member* place = nullptr;     // where it may go now
  std::optional<Error> error;  // why it may not
  Signal decided;
};

struct PgPool::Member {
  bool is_open() const { return connection && connection->is_open(); }
  // True: a statement that comes now would have to wait for others.
  bool is_busy() const {
    return connection->queries_pending() >= busy_statements ||
           connection->unanswered_ms() >= busy_ms;
  }

  const bool is_kept;
  std::shared_ptr<PgConnection> connection;  // its mend() keeps it, too
  bool is_wanted = false;                    // of one that is not kept: open it
  int64_t used_ns = 0;
  Signal change;  // wanted, or lost

  std::string key;            // whose requests' statements it has, or had last
  size_t requests = 0;        // how many of them are under way
  bool key_is_quick = false;  // the last answer to that key took less than quick_ms
  int64_t answered_ns = 0;    // when a request's statement ended here

  // Whether it is to have the next statement rather than `other`.
  bool precedes(const Member& other) const {
    if ((requests == 0) != (other.requests == 0)) return requests == 0;
    return connection->queries_pending() < other.connection->queries_pending();
  }
};

PgPool::PgPool(Loop& loop, Clock& clock, PgServers& servers, PgPoolLimits limits,
               DatabaseBreakerLimits breaker)
    : loop_(loop),
      clock_(clock),
      servers_(servers),
      limits_(limits),
      breaker_(clock, breaker),
      starting_(limits.kept) {
  for (int i = 0; i < limits.max; ++i) {
    members_.push_back(std::make_unique<Member>(i < limits.kept));
    coroutines_.spawn(keep_open(*members_.back()));
  }
}

PgPool::~PgPool() {
  is_closing_ = true;
  for (const auto& member : members_) {
    if (member->connection) member->connection->close();
  }
}

bool PgPool::is_connected() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const auto& member) { return member->is_open(); });
}

Co<void> PgPool::keep_open(Member& member) {
  Backoff backoff;
  bool is_first = true;
  while (true) {
    while (!member.is_kept && !member.is_wanted) co_await member.change.wait();
    const Result<void> connected = co_await connect(member);
    if (std::exchange(is_first, false) && member.is_kept) --starting_;
    member.is_wanted = false;
    if (connected) {
      backoff.note_success();
      begin_turns();
      co_await until_lost_or_idle(member);
      if (!is_connected() && limits_.kept > 0) end_all_that_wait();
      if (!is_connected() && !waiting_.empty()) open_another();
    } else {
      if (!is_connected()) end_all_that_wait();
    }
    backoff.note_failure(bounds::reconnect_pause_ms_max);  // also a session that was lost
    co_await sleep_until(clock_, clock_.now_ns() + backoff.pause_ms() * ns_per_ms);
  }
}

// A failure counts while there is no other connection: one too many is no fault of the database.
Co<Result<void>> PgPool::connect(Member& member) {
  member.connection = std::make_shared<PgConnection>(loop_, clock_, servers_, limits_.statements);
  member.connection->on_lost = [&member] { member.change.raise(); };
  Result<void> connected = co_await member.connection->connect();
  const bool counts = connected || (!is_connected() && !is_closing_);
  if (counts) breaker_.note_connection(!connected);
  if (connected) coroutines_.spawn(mend(member.connection));  // ahead of all other statements
  co_return connected;
}

Co<void> PgPool::until_lost_or_idle(Member& member) {
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
Co<void> PgPool::mend(std::shared_ptr<PgConnection> connection) {
  if (std::exchange(is_mending_, true)) co_return;
  int64_t mended = 0;
  do {
    Result<PgResult> reply = co_await connection->query(mend_sequences_sql, PgParams());
    mended = reply ? reply->int64(0, 0) : 0;
    if (mended > 0) spdlog::warn("made {} anew", counted(mended, "damaged sequence"));
  } while (mended > 0);
  is_mending_ = false;
}

void PgPool::mend_where_open() {
  for (const auto& member : members_) {
    if (!member->connection || !member->connection->is_open()) continue;
    return coroutines_.spawn(mend(member->connection));
  }
}

bool PgPool::has_closed() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const auto& member) { return !member->is_kept && !member->is_open(); });
}

// A caller that waits only for the end of a short statement needs no other connection.
Co<void> PgPool::open_while_waited_for() {
  is_opening_ = true;
  while (!waiting_.empty() && has_closed()) {
    co_await sleep_until(clock_, clock_.now_ns() + busy_ms * ns_per_ms);
    if (!waiting_.empty() && !has_place()) open_another();
  }
  is_opening_ = false;
}

size_t PgPool::under_way() const {
  size_t count = waiting_.size();
  for (const auto& member : members_) {
    if (member->is_open()) count += member->connection->queries_pending();
  }
  return count;
}

std::optional<Error> PgPool::refusal(const std::string& key) const {
  if (under_way() >= statements_max) return too_many("too many requests at once");
  if (waiting_.size_of(key) >= limits_.waiting_of_key_max) {
    return too_many("too many statements of this key wait");
  }
  if (breaker_.state() == DatabaseBreaker::State::open) return breakers_refusal();
  if (!is_connected() && limits_.kept > 0) return no_connection();
  return std::nullopt;
}

Co<Result<PgResult>> PgPool::query(Requester requester, std::string sql, PgParams params) {
  if (auto error = refusal(requester.key)) co_return tl::unexpected(std::move(*error));
  Member* member = waiting_.empty() ? place_for(requester.key) : nullptr;
  if (member != nullptr) {
    hold(*member, requester.key);
  } else {
    Co<Result<Member*>> turn = wait_for_turn(requester);
    const Result<Member*> place = co_await std::move(turn);
    if (!place) co_return tl::unexpected(place.error());
    member = *place;
  }
  Result<PgResult> rows = tl::unexpected(breakers_refusal());
  const int64_t sent_ns = clock_.now_ns();
  if (std::optional<DatabaseBreaker::Pass> pass = breaker_.admit()) {
    Co<Result<PgResult>> reply = member->connection->query(std::move(sql), std::move(params));
    rows = co_await std::move(reply);
    note(rows, *pass);
  }
  release(*member, requester.key, sent_ns);
  go_on_with_turn(*member, requester.key);
  begin_turns();
  co_return rows;
}

Co<Result<PgPool::Member*>> PgPool::wait_for_turn(const Requester& requester) {
  const auto waiting = std::make_shared<Waiting>(requester, clock_.now_ns());
  waiting_.push(requester.key, waiting);
  begin_turns();
  if (has_closed() && waiting->place == nullptr) {
    if (!is_connected() || (waiting_.size() >= busy_statements && !has_place())) open_another();
    if (!is_opening_) coroutines_.spawn(open_while_waited_for());
  }
  co_await waiting->decided.wait_until(clock_, clock_.now_ns() + limits_.wait_ms_max * ns_per_ms);
  if (waiting->place != nullptr) co_return waiting->place;
  co_return tl::unexpected(waiting->error.value_or(too_many("there was no turn for it in time")));
}

void PgPool::hold(Member& member, const std::string& key) {
  member.key_is_quick = is_quick(key);
  member.key = key;
  ++member.requests;
  member.used_ns = clock_.now_ns();
}

void PgPool::release(Member& member, const std::string& key, int64_t sent_ns) {
  --member.requests;
  const int64_t now_ns = clock_.now_ns();
  // Those before it on the connection do not count.
  const int64_t took_ns = now_ns - std::max(sent_ns, std::exchange(member.answered_ns, now_ns));
  for (const auto& each : members_) {
    if (each->key == key) each->key_is_quick = took_ns < turn_ns;
  }
  if (waiting_.size_of(key) == 0) {
    credit_ns_.erase(key);
  } else if (waiting_.keys() > 1) {  // else nobody has waited for it
    int64_t& credit_ns = credit_ns_.try_emplace(key, turn_ns).first->second;
    credit_ns = std::max(credit_ns - took_ns, -debt_ns_max);
  }
}

void PgPool::drop_unawaited(const std::string& key) {
  waiting_.erase_if(key, [](const std::weak_ptr<Waiting>& item) {
    const auto waiting = item.lock();
    if (waiting == nullptr || waiting->requester.is_awaited()) return waiting == nullptr;
    waiting->error = unawaited();
    waiting->decided.raise();
    return true;
  });
}

void PgPool::end_all_that_wait() {
  while (const auto item = waiting_.take([](const auto&, const auto&) { return true; })) {
    const auto waiting = item->lock();
    if (waiting == nullptr) continue;
    waiting->error = no_connection();
    waiting->decided.raise();
  }
}

// Whether a connection is free for a request of a key that has none.
bool PgPool::has_place() const {
  size_t open = 0, held = 0;
  for (const auto& member : members_) {
    open += member->is_open() ? 1 : 0;
    held += member->is_open() && member->requests > 0 ? 1 : 0;
  }
  return held < for_requests(open);
}

// Deficit round robin (Shreedhar, Varghese 1995): a key gets 20 ms of credit at each visit and pays
// for its statements by the time that they took. While it owes it is passed over.
void PgPool::begin_turns() {
  Member* place = nullptr;
  bool is_owing = false;  // somebody who would have a place
  const auto has_turn = [&](const std::string& key, const auto&) {
    place = place_for(key);
    if (place == nullptr || waiting_.keys() == 1) return place != nullptr;
    int64_t& credit_ns = credit_ns_[key];
    credit_ns = std::min(credit_ns + turn_ns, turn_ns);
    is_owing = is_owing || credit_ns <= 0;
    return credit_ns > 0;
  };
  while (has_place() || waiting_.keys() == 1) {
    const auto item = waiting_.take(has_turn);
    if (item) {
      give(*place, item->lock());
    } else if (!std::exchange(is_owing, false)) {
      break;
    }
  }
  // Of those whose statements have left without a turn.
  if (waiting_.empty()) credit_ns_.clear();
}

// Another statement of the key that has just had the connection, while it has credit: were a turn
// always one statement, a key of short ones would have as few as one of long ones.
void PgPool::go_on_with_turn(Member& member, const std::string& key) {
  if (!member.is_open() || waiting_.keys() < 2) return;
  while (member.requests == 0 && waiting_.size_of(key) > 0 && credit_ns_[key] > 0) {
    const auto item = waiting_.take_of(key, [](const auto&) { return true; });
    if (!item) return;
    give(member, item->lock());
  }
}

// The connection to a statement that waited for it, if somebody waits for its answer still.
void PgPool::give(Member& place, const std::shared_ptr<Waiting>& waiting) {
  if (waiting == nullptr) return;
  const bool is_new = clock_.now_ns() - waiting->since_ns < leave_ms_min * ns_per_ms;
  if (is_new || waiting->requester.is_awaited()) {
    waiting->place = &place;
    hold(place, waiting->requester.key);
  } else {
    waiting->error = unawaited();
  }
  waiting->decided.raise();
}

// The connection for a statement of `key`; null: it has to wait. On the key's half of the
// connections several statements may queue, on the others never: there a newcomer waits for one
// turn at most.
PgPool::Member* PgPool::place_for(const std::string& key) {
  size_t open = 0, held = 0, deep = 0;
  bool is_late = false;
  Member* free = nullptr;
  Member* single = nullptr;      // the key's, with one statement
  Member* shallowest = nullptr;  // of those with several
  for (const auto& member : members_) {
    if (!member->is_open()) continue;
    ++open;
    if (member->requests == 0 && (free == nullptr || member->precedes(*free))) free = member.get();
    if (member->requests == 0 || member->key != key) continue;
    ++held;
    is_late = is_late || member->connection->unanswered_ms() >= quick_ms;
    Member*& own = member->requests == 1 ? single : shallowest;
    if (own == nullptr || member->requests < own->requests) own = member.get();
    deep += member->requests > 1 ? 1 : 0;
  }
  const bool takes_ms = is_quick(key) && !is_late;
  const size_t all = for_requests(members_.size());
  const size_t share = std::max<size_t>(1, takes_ms ? all - 1 : all / 2);
  if (free != nullptr && held < share && has_place()) return free;
  if (!takes_ms || waiting_.size_of(key) < waiting_.size()) return nullptr;
  Member* own = single != nullptr && deep < for_requests(open) / 2 ? single : shallowest;
  return own != nullptr && own->requests < limits_.pipelined_max ? own : nullptr;
}

bool PgPool::is_quick(const std::string& key) const {
  return std::any_of(members_.begin(), members_.end(), [&key](const auto& member) {
    return member->key == key && member->key_is_quick;
  });
}

Error PgPool::unawaited() {
  return {Error::Action::refuse, std::string(not_sent), "nobody waits for the answer any more"};
}

Error PgPool::breakers_refusal() const {
  const int64_t open_s = std::max<int64_t>(1, (breaker_.open_for_ms() + 999) / 1000);
  return {Error::Action::retry_later, std::string(not_sent),
          "the database has failed again and again",
          fmt::format("Try again in about {} s.", open_s)};
}

Co<Result<PgResult>> PgPool::query(std::string sql, PgParams params) {
  const Member* member = idlest();
  if (member == nullptr) return query(Requester(std::string()), std::move(sql), std::move(params));
  std::optional<DatabaseBreaker::Pass> pass = breaker_.admit();
  if (!pass) return refuse(breakers_refusal());
  if (member->is_busy()) open_another();
  return watched(query_unguarded(std::move(sql), std::move(params)), std::move(*pass));
}

Co<Result<PgResult>> PgPool::watched(Co<Result<PgResult>> reply, DatabaseBreaker::Pass pass) {
  Result<PgResult> rows = co_await std::move(reply);
  note(rows, pass);
  co_return rows;
}

void PgPool::note(const Result<PgResult>& rows, DatabaseBreaker::Pass& pass) {
  const bool was_asked = rows || rows.error().code != not_sent;
  if (!rows && rows.error().code == damaged_sqlstate) mend_where_open();
  if (was_asked) pass.note(!rows && is_the_databases(rows.error()));
}

Co<Result<PgResult>> PgPool::query_unguarded(std::string sql, PgParams params) {
  if (under_way() >= statements_max) return refuse(too_many("too many requests at once"));
  Member* member = idlest();
  if (member == nullptr) return refuse(no_connection());
  member->used_ns = clock_.now_ns();
  return member->connection->query(std::move(sql), std::move(params));
}

}  // namespace sluice
