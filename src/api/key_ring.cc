#include "api/key_ring.h"

#include <algorithm>

#include "runtime/pg_array.h"

namespace sluice {
namespace {

constexpr int64_t read_interval_ns = ns_per_s;
constexpr int64_t awake_ns = 15 * ns_per_s;  // after somebody asked: longer than between two probes
constexpr int64_t stale_ns = read_interval_ns + 100 * ns_per_ms;
constexpr int64_t silence_ns_max = 2 * ns_per_s;  // then the database is said not to answer

// Of unknown ids: ten statements a second, of a few ms each, whatever strangers send.
constexpr int64_t look_interval_ns = 100 * ns_per_ms;
constexpr size_t look_ids_max = 500;

// Runs on every schema: it is what says that one is too old, so it names no column that is younger.
constexpr const char* keys_sql =
    "select (select max(version) from sluice.migration), k.id, encode(k.sha256, 'hex'), k.tenant,"
    " 'submit' = any (k.scopes), 'read' = any (k.scopes), 'admin' = any (k.scopes),"
    " (select (extract(epoch from least((to_jsonb(s) ->> 'idle_look')::interval,"
    "   interval '10 years')) * 1000)::bigint from sluice.settings s),"
    " coalesce(pg_sequence_last_value(to_regclass('sluice.notify_usage')), 0) >= 500, k.name,"
    " (select (to_jsonb(m) ->> 'serves_from')::int from sluice.migration m"
    "   order by version desc limit 1)"
    " from (select) one left join sluice.api_key k on k.revoked_at is null"
    " and ($1::text[] is null or k.id = any ($1))";

}  // namespace

KeyRing::KeyRing(Clock& clock, PgPool& database, SchemaRange known)
    : clock_(clock), database_(database), known_(known) {
  coroutines_.spawn(keep_reading());
}

Co<void> KeyRing::keep_reading() {
  while (true) {
    const int64_t begun_ns = clock_.now_ns();
    Co<Result<PgResult>> reading = read({std::nullopt});
    Result<PgResult> rows = co_await std::move(reading);
    // A key that was looked up meanwhile may be younger than what this statement has seen.
    if (rows) {
      std::erase_if(entries_,
                    [begun_ns](const auto& each) { return each.second.read_ns < begun_ns; });
    }
    const bool is_well = read_ns_ != 0 && unanswered_ns_ == 0;
    resting_ = is_well && clock_.now_ns() - asked_ns_ > awake_ns;
    co_await woken_.wait_until(clock_, clock_.now_ns() + pause_ns());
    resting_ = false;
  }
}

int64_t KeyRing::pause_ns() const {
  // Until the first connection is there, a reading costs nothing.
  if (read_ns_ == 0) return 20 * ns_per_ms;
  return resting_ ? std::max(read_interval_ns, idle_look_ns_) : read_interval_ns;
}

Co<Result<PgResult>> KeyRing::read(PgParams ids) {
  if (unanswered_ns_ == 0) unanswered_ns_ = clock_.now_ns();
  Co<Result<PgResult>> reply = database_.query_unguarded(keys_sql, std::move(ids));
  Result<PgResult> rows = co_await std::move(reply);
  if (rows) {
    take(*rows);
    unanswered_ns_ = 0;
    read_ns_ = clock_.now_ns();
  }
  co_return rows;
}

void KeyRing::wake() {
  asked_ns_ = clock_.now_ns();
  if (resting_) woken_.raise();
}

bool KeyRing::is_stale(int64_t read_ns) const {
  return clock_.now_ns() - read_ns > stale_ns;
}

void KeyRing::take(const PgResult& rows) {
  for (int row = 0; row < rows.rows(); ++row) {
    schema_.version = static_cast<int>(rows.int64(row, 0));
    schema_.serves_from.reset();
    if (!rows.is_null(row, 10)) schema_.serves_from = static_cast<int>(rows.int64(row, 10));
    if (!rows.is_null(row, 7)) idle_look_ns_ = rows.int64(row, 7) * ns_per_ms;
    notifications_are_scarce_ = rows.boolean(row, 8);
    if (rows.is_null(row, 1)) continue;
    Entry entry;
    entry.digest = parse_digest(rows.text(row, 2));
    entry.caller.key_id = rows.text(row, 1);
    entry.caller.name = rows.text(row, 9);
    entry.read_ns = clock_.now_ns();
    if (!rows.is_null(row, 3)) entry.caller.tenant = rows.text(row, 3);
    entry.caller.may_submit = rows.boolean(row, 4);
    entry.caller.may_read = rows.boolean(row, 5);
    entry.caller.is_admin = rows.boolean(row, 6);
    entries_.insert_or_assign(std::string(rows.text(row, 1)), std::move(entry));
  }
}

bool KeyRing::is_unknown(std::string_view id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() || is_stale(found->second.read_ns);
}

Co<Result<void>> KeyRing::look_up(std::string id) {
  const auto waiting = std::make_shared<Waiting>();
  waiting->id = std::move(id);
  unknown_.push_back(waiting);
  if (!std::exchange(looking_, true)) coroutines_.spawn(look_while_unknown());
  co_await waiting->looked.wait();
  if (waiting->error) co_return tl::unexpected(*waiting->error);
  co_return Result<void>();
}

Co<void> KeyRing::look_while_unknown() {
  while (!unknown_.empty()) {
    const int64_t next_ns = clock_.now_ns() + look_interval_ns;
    co_await look_up_all(take_round());
    co_await sleep_until(clock_, next_ns);
  }
  looking_ = false;
}

KeyRing::Round KeyRing::take_round() {
  Round round;
  while (!unknown_.empty() && round.size() < look_ids_max) {
    round.push_back(std::move(unknown_.front()));
    unknown_.pop_front();
  }
  return round;
}

Co<void> KeyRing::look_up_all(Round round) {
  const int64_t begun_ns = clock_.now_ns();
  PgTextArray ids;
  for (const auto& waiting : round) ids.add(waiting->id);
  Co<Result<PgResult>> reading = read({ids.param()});
  Result<PgResult> rows = co_await std::move(reading);
  for (const auto& waiting : round) {
    if (!rows) waiting->error = rows.error();
    const auto found = entries_.find(waiting->id);
    if (rows && found != entries_.end() && found->second.read_ns < begun_ns) entries_.erase(found);
    waiting->looked.raise();
  }
}

// An unknown id costs the same as a wrong secret.
std::optional<std::string> KeyRing::id_of(std::string_view key) const {
  const auto id = key_id(key);
  if (!same_digest(sha256(key), digest_of(id ? *id : std::string_view()))) return std::nullopt;
  return std::string(*id);
}

const Sha256& KeyRing::digest_of(std::string_view id) const {
  static const Sha256 of_none{};
  const auto found = entries_.find(id);
  return found == entries_.end() ? of_none : found->second.digest;
}

const Caller* KeyRing::bearer(std::string_view id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second.caller;
}

std::string KeyRing::not_ready_because() const {
  if (database_.is_starting()) return "connecting to the database";
  if (!database_.is_connected()) return "no connection to the database";
  const bool silent = unanswered_ns_ != 0 && clock_.now_ns() - unanswered_ns_ > silence_ns_max;
  if (read_ns_ == 0 || silent) {
    return "the database does not answer";
  }
  return schema_mismatch(schema_, known_);
}

}  // namespace sluice
