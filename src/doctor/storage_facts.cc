#include <sys/statvfs.h>

#include "doctor/checks.h"
#include "doctor/storage.h"

namespace sluice {
namespace {

// The directory is null for a user who may not see it.
constexpr const char* disk_sql = R"(
  select (select setting from pg_settings where name = 'data_directory') as directory,
    pg_size_bytes(current_setting('max_wal_size')) as max_wal_bytes,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as archive_fails,
    coalesce(last_failed_wal, '') as archive_segment
  from pg_stat_archiver)";

constexpr const char* slots_sql = R"(
  select slot_name, coalesce(wal_status, '') as wal_status,
    coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint as retained_bytes
  from pg_replication_slots)";

constexpr const char* capacity_sql = R"(
  select (select count(*) from pg_stat_activity where usename is not null
          and coalesce(backend_type, 'client backend') = 'client backend') as connections,
    current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int as connections_max,
    (select age(datfrozenxid) from pg_database where datname = current_database()) as xid_age,
    current_setting('autovacuum_freeze_max_age')::bigint as freeze_max_age)";

// The size is that of the last vacuum: to ask for today's would wait for each table's locks.
constexpr const char* tables_sql = R"(
  select c.relname as name,
    c.relpages::bigint * current_setting('block_size')::int as bytes,
    s.n_live_tup as live_rows, s.n_dead_tup as dead_rows,
    extract(epoch from clock_timestamp() - greatest(s.last_vacuum, s.last_autovacuum)) as vacuumed,
    c.relname like 'queue\_%' or c.relname in ('later', 'lease', 'spent') as is_line
  from pg_stat_all_tables s join pg_class c on c.oid = s.relid
  where s.schemaname = 'sluice'
    and (s.n_dead_tup > 1000000 or c.relpages > 100000) order by s.n_dead_tup desc limit 1000)";

// Over a Unix socket the server is on this machine, and its directory may be reached.
void read_file_system(const std::string& directory, DiskFacts& facts) {
  for (const std::string& path : {directory, directory + "/pg_wal"}) {  // which may be elsewhere
    struct statvfs found = {};
    if (::statvfs(path.c_str(), &found) != 0) continue;
    const auto block_bytes = static_cast<int64_t>(found.f_frsize);
    const int64_t free_bytes = static_cast<int64_t>(found.f_bavail) * block_bytes;
    if (facts.free_bytes && *facts.free_bytes <= free_bytes) continue;
    facts.free_bytes = free_bytes;
    facts.disk_bytes = static_cast<int64_t>(found.f_blocks) * block_bytes;
  }
}

}  // namespace

Findings check_disk(pqxx::connection& connection) {
  DiskFacts facts;
  pqxx::nontransaction session(connection);
  const pqxx::row row = session.exec1(disk_sql);
  facts.max_wal_bytes = row["max_wal_bytes"].as<int64_t>();
  facts.archive_fails = row["archive_fails"].as<bool>();
  facts.archive_segment = row["archive_segment"].as<std::string>();
  const char* host = connection.hostname();
  const bool is_local = host == nullptr || *host == '/' || *host == '\0';
  if (is_local && !row["directory"].is_null()) {
    read_file_system(row["directory"].as<std::string>(), facts);
  }
  for (const pqxx::row& slot : session.exec(slots_sql)) {
    facts.slots.push_back({slot["slot_name"].as<std::string>(),
                           slot["wal_status"].as<std::string>(),
                           slot["retained_bytes"].as<int64_t>()});
  }
  return judge_disk(facts);
}

Findings check_capacity(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  const pqxx::row row = session.exec1(capacity_sql);
  return judge_capacity({row["connections"].as<int64_t>(), row["connections_max"].as<int64_t>(),
                         row["xid_age"].as<int64_t>(), row["freeze_max_age"].as<int64_t>()});
}

Findings check_tables(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  std::vector<TableFacts> tables;
  for (const pqxx::row& row : session.exec(tables_sql)) {
    TableFacts table;
    table.name = row["name"].as<std::string>();
    table.bytes = row["bytes"].as<int64_t>();
    table.live_rows = row["live_rows"].as<int64_t>();
    table.dead_rows = row["dead_rows"].as<int64_t>();
    if (!row["vacuumed"].is_null()) table.vacuumed_s_ago = row["vacuumed"].as<double>();
    table.is_line = row["is_line"].as<bool>();
    tables.push_back(std::move(table));
  }
  return judge_tables(tables);
}

Findings check_partitions(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  const pqxx::row row = session.exec1("select * from sluice.range_facts()");
  return judge_partitions({row["newest_id"].as<int64_t>(), row["end_id"].as<int64_t>(),
                           row["ranges"].as<int>(), row["ranges_max"].as<int>(),
                           row["missing"].as<std::string>("")});
}

Findings check_versions(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  std::map<std::string, int64_t> workers;
  for (const pqxx::row& row : session.exec("select version, count(*) from sluice.workers"
                                           " where alive and version is not null group by 1")) {
    workers[row[0].as<std::string>()] = row[1].as<int64_t>();
  }
  return judge_versions(workers, SLUICE_VERSION);
}

}  // namespace sluice
