#include "doctor/storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "duration.h"

namespace sluice {
namespace {

constexpr int64_t mib = int64_t{1} << 20;
constexpr int64_t gib = int64_t{1} << 30;

// Two checkpoints' WAL, which PostgreSQL may need at any time, and never less than this.
constexpr int64_t free_bytes_min = gib;
// As much WAL as an hour of 1,000 tasks a second makes, at 3 KB a task.
constexpr int64_t retained_bytes_max = 10 * gib;

constexpr double connections_share_max = 0.9;

// Autovacuum begins at freeze_max_age and keeps the age near it; at twice that it is held up. From
// a billion on only a billion transactions are left.
constexpr int64_t freeze_ages_max = 2;
constexpr int64_t xid_age_max = 1'000'000'000;

// A drain of 16,000 tasks a second leaves two million between two rounds of autovacuum.
constexpr int64_t dead_rows_max = 5'000'000;
constexpr double vacuum_pause_s_max = 600;

// A row of a line takes some 100 bytes, twice that with room to spare. A file with ten times as
// much for each of its rows is mostly empty.
constexpr int64_t row_bytes = 200;
constexpr int64_t hollow_factor = 10;
constexpr int64_t hollow_bytes_min = gib;

// Workers keep 134 million ahead, a new schema has three. At 1,000 tasks a second a quarter of an
// hour.
constexpr int64_t ids_ahead_least = 1'000'000;
// The last six ranges are kept for bursts; when half of them are in use it is time to warn.
constexpr int ranges_left_min = 3;

std::string brief_bytes(int64_t bytes) {
  if (bytes >= 10 * gib) return fmt::format("{} GiB", bytes / gib);
  if (bytes >= gib)
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(gib));
  return fmt::format("{} MiB", bytes / mib);
}

}  // namespace

Findings judge_disk(const DiskFacts& facts) {
  Findings findings;
  const int64_t needed_bytes = std::max(2 * facts.max_wal_bytes, free_bytes_min);
  if (facts.free_bytes && *facts.free_bytes < needed_bytes) {
    findings.push_back(
        {"disk",
         fmt::format("PostgreSQL's disk has {} free of {}; two checkpoints may need {} of WAL",
                     brief_bytes(*facts.free_bytes), brief_bytes(facts.disk_bytes.value_or(0)),
                     brief_bytes(needed_bytes)),
         "make room: a larger disk, or a shorter settings.retention; a full disk stops "
         "PostgreSQL"});
  }
  for (const SlotFacts& slot : facts.slots) {
    if (slot.wal_status == "lost") {
      findings.push_back({"disk",
                          fmt::format("replication slot {} has lost its WAL: its reader can only "
                                      "begin anew",
                                      slot.name),
                          fmt::format("make the standby anew, then select "
                                      "pg_drop_replication_slot('{}')",
                                      slot.name)});
    } else if (slot.retained_bytes > retained_bytes_max) {
      findings.push_back(
          {"disk",
           fmt::format("replication slot {} keeps {} of WAL on the disk", slot.name,
                       brief_bytes(slot.retained_bytes)),
           fmt::format("start its reader, or drop it: select pg_drop_replication_slot('{}'); "
                       "max_slot_wal_keep_size bounds it",
                       slot.name)});
    }
  }
  if (facts.archive_fails) {
    findings.push_back(
        {"archive",
         fmt::format("WAL is not archived since {}: it stays on the disk, and backups end there",
                     facts.archive_segment),
         "see PostgreSQL's log for archive_command's error"});
  }
  return findings;
}

Findings judge_capacity(const CapacityFacts& facts) {
  Findings findings;
  if (static_cast<double>(facts.connections) >
      connections_share_max * static_cast<double>(facts.connections_max)) {
    findings.push_back(
        {"connections",
         fmt::format("{} of {} connections are taken: workers that lose theirs may get none",
                     facts.connections, facts.connections_max),
         "close idle sessions, put clients behind a pooler, or raise max_connections"});
  }
  const int64_t age_max = std::min(freeze_ages_max * facts.freeze_max_age, xid_age_max);
  if (facts.freeze_max_age > 0 && facts.xid_age > age_max) {
    findings.push_back(
        {"wraparound",
         fmt::format("the oldest row of this database is {} transactions old: vacuum cannot "
                     "freeze it, and at two billion PostgreSQL takes no writes",
                     facts.xid_age),
         "end what holds snapshots, then vacuum (freeze) as the tables' owner"});
  }
  return findings;
}

Findings judge_tables(const std::vector<TableFacts>& tables) {
  Findings findings;
  for (const TableFacts& table : tables) {
    const bool is_behind = table.dead_rows > dead_rows_max && table.dead_rows > table.live_rows &&
                           (!table.vacuumed_s_ago || *table.vacuumed_s_ago > vacuum_pause_s_max);
    if (is_behind) {
      findings.push_back(
          {"bloat",
           fmt::format("sluice.{} has {} dead rows and {} living ones, and was vacuumed {}",
                       table.name, table.dead_rows, table.live_rows,
                       table.vacuumed_s_ago ? brief_age(*table.vacuumed_s_ago) + " ago" : "never"),
           "give autovacuum more: autovacuum_max_workers, autovacuum_vacuum_cost_limit; or vacuum "
           "sluice." +
               table.name});
    } else if (table.is_line && table.bytes > hollow_bytes_min &&
               table.bytes > hollow_factor * row_bytes * (table.live_rows + table.dead_rows)) {
      findings.push_back(
          {"bloat",
           fmt::format("sluice.{} takes {} for {} rows: room that it keeps for the next rush",
                       table.name, brief_bytes(table.bytes), table.live_rows),
           fmt::format("nothing, if rushes come back; else, while little waits: vacuum full "
                       "sluice.{}",
                       table.name)});
    }
  }
  return findings;
}

Findings judge_partitions(const PartitionFacts& facts) {
  Findings findings;
  if (!facts.missing.empty()) {
    findings.push_back(
        {"partitions",
         fmt::format("partitions are missing: {}: submits of their ids fail", facts.missing),
         "restore them from a backup; they were dropped or detached by hand"});
  }
  if (facts.end_id - facts.newest_id < ids_ahead_least) {
    findings.push_back(
        {"partitions",
         fmt::format("partitions reach {} ids beyond the newest task: submits are refused beyond",
                     std::max<int64_t>(0, facts.end_id - facts.newest_id)),
         "end transactions that stay open, then: select sluice.tick()"});
  }
  if (facts.ranges > facts.ranges_max - ranges_left_min) {
    findings.push_back(
        {"partitions",
         fmt::format("{} of {} ranges of ids are in use", facts.ranges, facts.ranges_max),
         "shorten sluice.settings.retention, then: select sluice.tick()"});
  }
  return findings;
}

Findings judge_versions(const std::map<std::string, int64_t>& workers, std::string_view own) {
  Findings findings;
  for (const auto& [version, count] : workers) {
    if (version == own) continue;
    findings.push_back({"versions",
                        fmt::format("{} live worker{} run{} version {}, this is {}", count,
                                    count == 1 ? "" : "s", count == 1 ? "s" : "", version, own),
                        "upgrade them one after the other; while an upgrade is under way this is "
                        "as it should be"});
  }
  return findings;
}

}  // namespace sluice
