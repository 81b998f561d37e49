#include "cli/recent_ends.h"

#include "duration.h"

namespace sluice {
namespace {

constexpr const char* recent_ends_sql = R"(
  select scope, name, solved, failed, tokens_per_min, p50_s, p99_s from sluice.recent_ends('10 minutes')
  order by scope, solved + failed desc, name)";

std::optional<double> optional_of(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return field.as<double>();
}

}  // namespace

RecentEnds read_recent_ends(pqxx::nontransaction& session) {
  RecentEnds recent;
  for (const pqxx::row& row : session.exec(recent_ends_sql)) {
    EndFacts ends{row["name"].c_str(),         row["solved"].as<int64_t>(),
                  row["failed"].as<int64_t>(), row["tokens_per_min"].as<double>(),
                  optional_of(row["p50_s"]),   optional_of(row["p99_s"])};
    const std::string_view scope = row["scope"].c_str();
    if (scope == "model") {
      recent.models.emplace(ends.name, ends);
    } else if (scope == "tenant") {
      recent.tenants.push_back(std::move(ends));
    } else {
      recent.all = std::move(ends);
    }
  }
  return recent;
}

std::string latency_text(std::optional<double> latency_s) {
  return latency_s ? brief_duration(*latency_s) : "-";
}

}  // namespace sluice
