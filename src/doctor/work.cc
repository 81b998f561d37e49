#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "counted.h"
#include "doctor/checks.h"

namespace sluice {
namespace {

// From the designs that Sluice replaces: what their operators were woken for.
constexpr int64_t taken_back_max = 10;       // in the ten minutes of a maintenance round
constexpr int64_t failures_per_min_max = 5;  // of one kind
constexpr int64_t unfinished_max = 1'000;    // and a share of the bound:
constexpr double unfinished_share_max = 0.8;

// Whether check_secrets has told of what parked the model, and of the way out.
bool is_told(const Findings& told, std::string_view model, std::string_view reason) {
  constexpr std::string_view kind = "credential: ";
  if (!reason.starts_with(kind)) return false;
  const std::string what = fmt::format("model {}: {}", model, reason.substr(kind.size()));
  return std::any_of(told.begin(), told.end(),
                     [&what](const Finding& finding) { return finding.what == what; });
}

// Judges the figures of one model's queue.
void judge_queue(const pqxx::row& row, const Findings& told, Findings& findings) {
  const auto model = row["model"].as<std::string>();
  const auto unfinished = row["unfinished"].as<int64_t>();
  const auto bound = row["bound"].as<int64_t>();
  if (unfinished > 0 && !row["served"].as<bool>()) {
    findings.push_back({"workers",
                        fmt::format("model {} has {} and no live worker", model,
                                    counted(unfinished, "unfinished task")),
                        "start sluice worker, or name the model in its --models"});
  }
  // Half open, its probes have not failed so far: a failed one opens it.
  if (row["breaker"].as<std::string>() == "open") {
    findings.push_back({"breaker", fmt::format("the breaker of model {} is open", model),
                        "mend the backend; calls go through again once those that try it succeed"});
  }
  const auto reason = row["closed_reason"].as<std::string>("without a reason");
  if (row["parked"].as<bool>() && !is_told(told, model, reason)) {
    findings.push_back({"parked", fmt::format("model {} is parked: {}", model, reason),
                        "mend that, then sluice model resume " + model});
  }
  if (unfinished > unfinished_max &&
      static_cast<double>(unfinished) > unfinished_share_max * static_cast<double>(bound)) {
    findings.push_back(
        {"depth",
         fmt::format("model {} has {} unfinished tasks of at most {}: submits will soon be refused",
                     model, unfinished, bound),
         "add workers or quota, or raise max_unfinished"});
  }
}

// A mistyped --models, or a model that is gone.
void judge_workers(pqxx::nontransaction& session, Findings& findings) {
  for (const pqxx::row& row :
       session.exec("select w.name, m from sluice.workers w cross join unnest(w.models) m"
                    " where w.alive and m not in (select name from sluice.models) order by 1, 2")) {
    findings.push_back({"workers",
                        fmt::format("worker {} is to serve model {}, which does not exist",
                                    row[0].c_str(), row[1].c_str()),
                        "make the model, or start the worker with other --models"});
  }
}

// Those that no finding in `told` is about. For callers who see all tenants: what others see of the
// history may lack the answers.
void judge_models_that_never_answered(pqxx::nontransaction& session, Findings& findings,
                                      const std::set<std::string>& told) {
  for (const pqxx::row& row : session.exec(R"(
      select f.model, f.calls, f.error_code
      from (
        select r.model, sum(r.calls)::bigint as calls,
          (array_agg(coalesce(r.error_code, 'no code') order by r.latest desc))[1] as error_code
        from sluice.recent_failures('1 day') r where r.kind in ('retry', 'failed')
        group by r.model) f
      where (select c.tenants = '{}' from sluice.caller_scope() c)
        and f.model in (select q.model from sluice.queues q)
        and f.model not in (select e.name from sluice.recent_ends('1 day') e
          where e.scope = 'model' and e.solved > 0)
        and not exists (
          select from sluice.history_of('all', model => f.model,
            since => date_trunc('day', clock_timestamp(), 'UTC') - interval '30 days') h
          where h.solved > 0)
      order by f.model limit 20)")) {
    const auto model = row["model"].as<std::string>();
    if (told.count(model) > 0) continue;
    findings.push_back(
        {"errors",
         fmt::format("model {} has answered no call, and {} failed, the last with {}", model,
                     row["calls"].c_str(), row["error_code"].c_str()),
         "sluice dead-letters and sluice task ID say why: mostly its url (with or "
         "without /v1), its api or its secret"});
  }
}

}  // namespace

Findings check_queues(pqxx::connection& connection, const Findings& told) {
  pqxx::nontransaction session(connection);
  Findings findings;
  for (const pqxx::row& row : session.exec(R"(
      select q.model, q.unfinished, q.breaker, q.closed_reason,
        coalesce(q.closed_until = 'infinity', false) as parked,
        coalesce(m.max_unfinished, s.max_unfinished) as bound,
        exists (select from sluice.workers w
                where w.alive and (w.models is null or m.name = any (w.models))
                  and (w.apis is null or m.api = any (w.apis))) as served
      from sluice.queues q join sluice.models m on m.name = q.model cross join sluice.settings s
      order by q.model)")) {
    judge_queue(row, told, findings);
  }
  judge_workers(session, findings);
  return findings;
}

Findings check_budgets(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  Findings findings;
  for (const pqxx::row& row : session.exec(R"(
      select name, spent, held, "limit", waiting,
        case when spent < "limit" then 'has no room for one more call' else 'is exhausted' end
          as state,
        coalesce(to_char(opens_at at time zone zone, 'YYYY-MM-DD HH24:MI ') || zone,
          'some of that is older than ' || rolling) as opens
      from sluice.budget_rows() where is_hard and exhausted_at is not null order by name)")) {
    const auto name = row["name"].as<std::string>();
    findings.push_back(
        {"budgets",
         fmt::format("budget {} {}: {} spent and {} held of {}, {} tasks wait until {}", name,
                     row["state"].c_str(), row["spent"].c_str(), row["held"].c_str(),
                     row["limit"].c_str(), row["waiting"].c_str(), row["opens"].c_str()),
         fmt::format("sluice budget set {} limit=… lets them go on at once", name)});
  }
  for (const pqxx::row& row : session.exec("select why from sluice.budget_failures()")) {
    findings.push_back({"budgets", row["why"].as<std::string>(),
                        "sluice price set MODEL input=… output=…, sluice model set MODEL "
                        "max_output_tokens=…, or sluice budget set NAME is_hard=false"});
  }
  for (const pqxx::row& row : session.exec("select * from sluice.budget_excesses()")) {
    const auto model = row["model"].as<std::string>();
    findings.push_back(
        {"budgets",
         fmt::format("the backend of model {} told that {} calls of the last day cost {}, which is"
                     " more than they can have: hard budgets have booked {}",
                     model, row["calls"].c_str(), row["told"].c_str(), row["booked"].c_str()),
         "compare its bills: it counts wrongly, or its prices of the past were changed"});
  }
  return findings;
}

Findings check_failures(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  Findings findings;
  const auto taken_back =
      session
          .exec1(
              "select coalesce(sum(calls), 0)::bigint from sluice.recent_failures('10 minutes')"
              " where kind = 'lost'")[0]
          .as<int64_t>();
  if (taken_back > taken_back_max) {
    findings.push_back(
        {"recovered",
         fmt::format("{} tasks were taken back from dead workers within 10 min, more than {}",
                     taken_back, taken_back_max),
         "look why workers end: out of memory, killed before their drain time-out"});
  }
  std::set<std::string> told;
  for (const pqxx::row& row :
       session.exec_params("select model, error_code, sum(calls)::bigint as calls from "
                           "sluice.recent_failures('1 minute')"
                           " where kind <> 'lost' group by model, error_code having sum(calls) > "
                           "$1::bigint order by calls desc",
                           failures_per_min_max)) {
    const auto model = row["model"].as<std::string>("-");
    told.insert(model);
    findings.push_back(
        {"errors",
         fmt::format("{} calls of model {} failed with {} within 1 min, more than {}",
                     row["calls"].c_str(), model, row["error_code"].as<std::string>("no code"),
                     failures_per_min_max),
         "sluice dead-letters and sluice task ID say why"});
  }
  judge_models_that_never_answered(session, findings, told);
  return findings;
}

}  // namespace sluice
