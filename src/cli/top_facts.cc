#include "cli/top_facts.h"

#include "cli/standby.h"
#include "duration.h"

namespace sluice {
namespace {

// Of open models, their pressure is said.
constexpr const char* queues_sql = R"(
  select q.model, depth, in_flight, unfinished - depth - in_flight, oldest_ready_s, sustained_rpm, began, ended,
    case when state = 'open' and pressure <> 'normal' then pressure else state end,
    case when isfinite(state_until) then greatest(0, extract(epoch from state_until - clock_timestamp())) end,
    permits_now
  from sluice.queues q left join sluice.call_counts() c on c.model = q.model
  order by state = 'open' and pressure = 'normal' and unfinished = 0, q.model)";

// The dead are of interest as long as they have tasks.
constexpr const char* workers_sql = R"(
  select name, case when alive then 'alive' when dead_at is null then 'silent' else 'dead' end, slots, in_flight,
    extract(epoch from clock_timestamp() - seen), version
  from sluice.workers where alive or dead_at is null or in_flight > 0
  order by not alive, name, id)";

constexpr const char* failures_sql = R"(
  select coalesce(model, '-'), kind, coalesce(error_code, '-'), calls, extract(epoch from clock_timestamp() - latest)
  from sluice.recent_failures('10 minutes'))";

template <class T>
std::optional<T> optional_of(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return field.as<T>();
}

}  // namespace

std::string state_text(const std::string& state, const pqxx::field& left_s) {
  const std::string left = left_s.is_null() ? "" : brief_age(left_s.as<double>());
  if (left.empty()) return state;
  if (left != "0s") return state + ' ' + left;
  return state == "breaker open" ? "awaits a probe" : state;  // its time is over
}

TopFacts read_top_facts(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  TopFacts facts;
  facts.time = session.exec1("select to_char(clock_timestamp(), 'HH24:MI:SS')")[0].c_str();
  facts.is_standby = is_standby(session);
  for (const pqxx::row& row : session.exec(queues_sql)) {
    QueueFacts& queue = facts.queues.emplace_back();
    queue.model = row[0].c_str();
    queue.state = state_text(row[8].c_str(), row[9]);
    queue.is_open = queue.state == "open";
    queue.queued = row[1].as<int64_t>();
    queue.in_flight = row[2].as<int64_t>();
    queue.waiting = row[3].as<int64_t>();
    queue.oldest_s = optional_of<double>(row[4]);
    queue.quota_rpm = optional_of<double>(row[5]);
    queue.began = optional_of<int64_t>(row[6]);
    queue.ended = optional_of<int64_t>(row[7]);
    queue.permits = optional_of<int64_t>(row[10]);
  }
  for (const pqxx::row& row : session.exec(workers_sql)) {
    facts.workers.push_back({row[0].c_str(), row[1].c_str(), row[2].as<int64_t>(),
                             row[3].as<int64_t>(), row[4].as<double>(),
                             row[5].as<std::string>("-")});
  }
  for (const pqxx::row& row : session.exec(failures_sql)) {
    facts.failures.push_back({row[0].c_str(), row[1].c_str(), row[2].c_str(), row[3].as<int64_t>(),
                              row[4].as<double>()});
  }
  return facts;
}

}  // namespace sluice
