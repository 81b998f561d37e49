// What `sluice top` shows of a database at one moment, read from the public views alone, so that
// membership in sluice_reader is enough. TopFacts are values; reading them is all that is done
// here.
//
// Blocking; throws what libpqxx throws.
#pragma once

#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "cli/recent_ends.h"

namespace sluice {

// A model's state with the time that it has left, null where nobody knows.
std::string state_text(const std::string& state, const pqxx::field& left_s);

struct QueueFacts {
  std::string model;
  std::string state;  // open, of state_text, or the pressure of an open one
  bool is_open = true;
  int64_t waiting = 0;
  int64_t queued = 0;
  int64_t in_flight = 0;
  std::optional<double> oldest_s;
  std::optional<double> quota_rpm;  // what its limits allow in the long run
  std::optional<int64_t> permits;   // calls that could begin now; nullopt: no limit
  std::optional<int64_t> began;     // calls; nullopt: the counter was lost in a crash
  std::optional<int64_t> ended;
};

struct WorkerFacts {
  std::string name;
  std::string state;  // alive, silent or dead
  int64_t slots = 0;
  int64_t in_flight = 0;
  double seen_s = 0;
  std::string version;
};

struct FailureFacts {
  std::string model;
  std::string kind;  // retry, failed or lost
  std::string code;
  int64_t calls = 0;
  double latest_s = 0;
};

struct TopFacts {
  std::string time;         // the database's, HH:MM:SS
  bool is_standby = false;  // it knows no rates and no permits
  std::vector<QueueFacts> queues;
  std::vector<WorkerFacts> workers;
  std::vector<FailureFacts> failures;  // of the last 10 minutes
  RecentEnds recent;                   // the caller's to read, less often
};

// Models in trouble or with work come first, then by name; workers alive first. All but `recent`.
TopFacts read_top_facts(pqxx::connection& connection);

}  // namespace sluice
