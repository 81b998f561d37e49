// What a server's disk, tables, partitions and room for sessions look like, and what of it will
// hurt. Pure: storage_facts.cc reads what these judge.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.h"

namespace sluice {

struct SlotFacts {
  std::string name;
  std::string wal_status;      // reserved, extended, unreserved, lost; empty: keeps none
  int64_t retained_bytes = 0;  // of WAL
};

struct DiskFacts {
  // Of the file system with the data directory; nullopt: it is not ours to see.
  std::optional<int64_t> free_bytes;
  std::optional<int64_t> disk_bytes;
  int64_t max_wal_bytes = 0;   // max_wal_size
  bool archive_fails = false;  // the last segment could not be archived
  std::string archive_segment;
  std::vector<SlotFacts> slots;
};
Findings judge_disk(const DiskFacts& facts);

struct CapacityFacts {
  int64_t connections = 0;
  int64_t connections_max = 0;  // for others than superusers
  int64_t xid_age = 0;          // of this database's oldest row
  int64_t freeze_max_age = 0;   // autovacuum_freeze_max_age
};
Findings judge_capacity(const CapacityFacts& facts);

struct TableFacts {
  std::string name;
  int64_t bytes = 0;  // of rows, without TOAST and indexes, at the last vacuum
  int64_t live_rows = 0;
  int64_t dead_rows = 0;
  std::optional<double> vacuumed_s_ago;  // nullopt: never
  bool is_line = false;                  // its rows come and go: a queue, or what waits or is held
};
Findings judge_tables(const std::vector<TableFacts>& tables);

struct PartitionFacts {
  int64_t newest_id = 0;
  int64_t end_id = 0;  // of the last range
  int ranges = 0;
  int ranges_max = 0;
  std::string missing;  // names; empty: none
};
Findings judge_partitions(const PartitionFacts& facts);

// How many live workers run each version. `own`: of this binary.
Findings judge_versions(const std::map<std::string, int64_t>& workers, std::string_view own);

}  // namespace sluice
