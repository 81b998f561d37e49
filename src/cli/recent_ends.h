// How tasks went that ended in the last ten minutes, as sluice.recent_ends() tells it: for each
// model, each tenant, and all. Values; reading them is all that is done here.
//
// Blocking; throws what libpqxx throws.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace sluice {

// Between two looks of a command that repeats them: a look costs PostgreSQL some 30 ms.
inline constexpr auto recent_ends_interval = std::chrono::seconds(5);

struct EndFacts {
  std::string name;
  int64_t solved = 0;
  int64_t failed = 0;
  double tokens_per_min = 0;
  std::optional<double> p50_s;  // from claim to result; nullopt: none was solved
  std::optional<double> p99_s;
};

struct RecentEnds {
  EndFacts all;
  std::map<std::string, EndFacts> models;
  std::vector<EndFacts> tenants;  // those with the most ends first
};

RecentEnds read_recent_ends(pqxx::nontransaction& session);

// For a table: "1.2s", "-".
std::string latency_text(std::optional<double> latency_s);

}  // namespace sluice
