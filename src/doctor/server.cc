#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "doctor/checks.h"
#include "duration.h"

namespace sluice {
namespace {

// A report of some minutes is everyday; marks keep claims flat meanwhile. Longer, or with more
// transactions behind it, dead rows grow into gigabytes.
constexpr int held_s_max = 300;
constexpr int held_transactions_max = 100'000;

// Workers measure their own intervals; only dates that backends send, and logs, need the wall
// clock.
constexpr int64_t clock_skew_ms_max = 1'000;

int64_t wall_clock_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Of sessions those of this database, for others' snapshots hold nothing here; walsenders' do.
constexpr const char* holders_sql = R"(
  select * from (
    select format('session %s of %s (%s)', pid, usename, coalesce(state, backend_type)) as holder,
      format('end it: select pg_terminate_backend(%s)', pid) as way_out,
      extract(epoch from clock_timestamp() - xact_start) as held_s,
      greatest(age(backend_xmin), age(backend_xid)) as transactions
    from pg_stat_activity
    where pid <> pg_backend_pid() and coalesce(backend_xmin, backend_xid) is not null
      and (datname = current_database() or backend_type = 'walsender')
      and backend_type <> 'autovacuum worker'
    union all
    select format('replication slot %s', slot_name),
      format('start its reader, or drop it: select pg_drop_replication_slot(%L)', slot_name),
      null, greatest(age(xmin), age(catalog_xmin))
    from pg_replication_slots
    union all
    select format('prepared transaction %s', gid),
      format('commit it, or: rollback prepared %L', gid),
      extract(epoch from clock_timestamp() - prepared), age(transaction)
    from pg_prepared_xacts where database = current_database()) h
  where held_s > $1::int or transactions > $2::int
  order by transactions desc nulls last limit 20)";

// 800 MB: whoever listens has read long before. From a half on nobody notifies.
constexpr double notifications_usage_max = 0.1;

// A listener in a transaction reads no notifications. PostgreSQL does not tell which sessions
// listen, so these are candidates: the oldest transactions of all databases, since all share one
// queue. Of others' sessions at least the user is shown.
constexpr const char* listeners_sql = R"(
  select string_agg(format('%s of %s (%s)', pid, usename, coalesce(state, 'not shown')), ', '
    order by xact_start) as sessions
  from (select * from pg_stat_activity
        where pid <> pg_backend_pid() and usename is not null
          and coalesce(backend_type, 'client backend') = 'client backend'
          and (xact_start is not null or state is null)
        order by xact_start limit 3) s)";

// Sessions whose snapshots would count, and are not shown to this user. A user
// alone in the database needs no right to see others.
constexpr const char* hidden_sql = R"(
  select count(*) as sessions, left(string_agg(distinct usename, ', '), 200) as users,
    quote_ident(current_user) as caller
  from pg_stat_activity
  where (datname = current_database() or pid in (select pid from pg_stat_replication))
    and not (pg_has_role('pg_read_all_stats', 'usage') or pg_has_role(usesysid, 'usage')))";

}  // namespace

bool is_behind_pooler(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  // A pooler names a process id of its own.
  return session.exec1("select pg_backend_pid()")[0].as<int>() != connection.backendpid();
}

Findings check_snapshots(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  Findings findings;
  const pqxx::row hidden = session.exec1(hidden_sql);
  if (hidden["sessions"].as<int>() > 0) {
    findings.push_back({"snapshots",
                        fmt::format("what other users' sessions hold cannot be seen ({} of {})",
                                    hidden["sessions"].c_str(), hidden["users"].c_str()),
                        fmt::format("grant pg_read_all_stats to {}", hidden["caller"].c_str())});
  }
  for (const pqxx::row& row : session.exec_params(holders_sql, held_s_max, held_transactions_max)) {
    const std::string since =
        row["held_s"].is_null() ? ""
                                : fmt::format("for {} and ", brief_age(row["held_s"].as<double>()));
    findings.push_back({"snapshots",
                        fmt::format("{} has held a snapshot {}through {} transactions: no dead row "
                                    "since can be removed",
                                    row["holder"].c_str(), since, row["transactions"].as<int>(0)),
                        row["way_out"].c_str()});
  }
  return findings;
}

Findings check_notifications(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  const auto usage = session.exec1("select pg_notification_queue_usage()")[0].as<double>();
  if (usage < notifications_usage_max) return {};
  const std::string sessions =
      session.exec1(listeners_sql)[0].as<std::string>("a session that is not shown");
  return {{"notifications",
           fmt::format("the server's queue of notifications is {:.0f} % full (from 50 % on workers "
                       "poll): a session that listens has a transaction open; the oldest: {}",
                       usage * 100, sessions),
           "end it: select pg_terminate_backend(pid); keep strangers out: revoke connect on "
           "database … from public"}};
}

Findings check_autovacuum(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  Findings findings;
  if (!session
           .exec1("select current_setting('autovacuum')::boolean"
                  " and current_setting('track_counts')::boolean")[0]
           .as<bool>()) {
    findings.push_back({"autovacuum", "autovacuum is off in the whole server",
                        "set autovacuum and track_counts to on"});
  }
  for (const pqxx::row& row : session.exec(
           "select c.relname from pg_class c cross join unnest(c.reloptions) o"
           " where c.relnamespace = 'sluice'::regnamespace and o like 'autovacuum_enabled=%'"
           " and not split_part(o, '=', 2)::boolean order by 1 limit 20")) {
    findings.push_back(
        {"autovacuum", fmt::format("autovacuum is off for sluice.{}", row[0].c_str()),
         fmt::format("alter table sluice.{} reset (autovacuum_enabled)", row[0].c_str())});
  }
  return findings;
}

std::optional<int64_t> clock_skew_ms(int64_t before_ms, int64_t database_ms, int64_t after_ms) {
  const int64_t skew_ms = database_ms - (before_ms + after_ms) / 2;
  const int64_t unexplained_ms = std::abs(skew_ms) - (after_ms - before_ms) / 2;
  if (unexplained_ms <= clock_skew_ms_max) return std::nullopt;
  return skew_ms;
}

Findings check_clock(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  const int64_t before_ms = wall_clock_ms();
  const auto database_ms =
      session.exec1("select (extract(epoch from clock_timestamp()) * 1000)::bigint")[0]
          .as<int64_t>();
  const std::optional<int64_t> skew_ms = clock_skew_ms(before_ms, database_ms, wall_clock_ms());
  if (!skew_ms) return {};
  return {{"clock",
           fmt::format("the database's clock is {} ms {} this host's", std::abs(*skew_ms),
                       *skew_ms > 0 ? "ahead of" : "behind"),
           "let both follow one time server"}};
}

}  // namespace sluice
