#include "api/key_ring.h"

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr int64_t read_interval_ns = ns_per_s;
constexpr int64_t silence_ns_max = 3 * ns_per_s;  // then the database is said not to answer

constexpr const char* keys_sql =
    "select (select max(version) from sluice.migration), k.id, encode(k.sha256, 'hex'), k.tenant,"
    " 'submit' = any (k.scopes), 'read' = any (k.scopes), 'admin' = any (k.scopes)"
    " from (select) one left join sluice.api_key k on k.revoked_at is null";

}  // namespace

KeyRing::KeyRing(Clock& clock, PgPool& database, SchemaRange served)
    : clock_(clock), database_(database), served_(served) {
  tasks_.spawn(keep_reading());
}

Task<void> KeyRing::keep_reading() {
  while (true) {
    Task<Result<PgResult>> reply = database_.query_unguarded(keys_sql, PgParams());
    Result<PgResult> rows = co_await std::move(reply);
    if (rows) take(*rows);
    // Until the first connection is there, a look costs nothing.
    const int64_t pause_ns = read_ns_ == 0 ? 20 * ns_per_ms : read_interval_ns;
    co_await sleep_until(clock_, clock_.now_ns() + pause_ns);
  }
}

void KeyRing::take(const PgResult& rows) {
  entries_.clear();
  for (int row = 0; row < rows.rows(); ++row) {
    schema_version_ = rows.int64(row, 0);
    if (rows.is_null(row, 1)) continue;
    Entry entry;
    entry.digest = parse_digest(rows.text(row, 2));
    if (!rows.is_null(row, 3)) entry.caller.tenant = rows.text(row, 3);
    entry.caller.may_submit = rows.boolean(row, 4);
    entry.caller.may_read = rows.boolean(row, 5);
    entry.caller.is_admin = rows.boolean(row, 6);
    entries_.emplace(rows.text(row, 1), std::move(entry));
  }
  read_ns_ = clock_.now_ns();
}

// An unknown id costs the same as a wrong secret.
const Caller* KeyRing::find(std::string_view key) const {
  static const Entry nobody{};
  const auto id = key_id(key);
  const auto found = id ? entries_.find(*id) : entries_.end();
  const Entry& entry = found == entries_.end() ? nobody : found->second;
  return same_digest(key_digest(key), entry.digest) ? &entry.caller : nullptr;
}

std::string KeyRing::not_ready_because() const {
  if (database_.is_starting()) return "connecting to the database";
  if (!database_.is_connected()) return "no connection to the database";
  if (read_ns_ == 0 || clock_.now_ns() - read_ns_ > silence_ns_max) {
    return "the database does not answer";
  }
  if (schema_version_ < served_.oldest || schema_version_ > served_.newest) {
    return fmt::format("the database has schema version {}, this binary serves {} to {}",
                       schema_version_, served_.oldest, served_.newest);
  }
  return {};
}

}  // namespace sluice
