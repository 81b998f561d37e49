#include "doctor/mechanisms.h"

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr std::string_view pooled_why =
    "a pooler in transaction mode is in between; workers poll once a second instead";
constexpr int postgresql_18 = 180'000;

Mechanism locks_of(PoolerMode direct, const Trials& trials) {
  if (direct == PoolerMode::transaction) {
    return {"advisory locks", Verdict::differs,
            "those of a transaction work; those of a session do not: a pooler in transaction mode "
            "is in between"};
  }
  if (!trials.locks_are_kept) return {"advisory locks", Verdict::unknown, "not tried"};
  if (!*trials.locks_are_kept) {
    return {"advisory locks", Verdict::fails, "a session's lock did not keep another one out"};
  }
  return {"advisory locks", Verdict::works, "a session's lock keeps others out"};
}

Mechanism wakeups_of(PoolerMode direct, const Trials& trials) {
  if (direct == PoolerMode::transaction) {
    return {"wake-ups", Verdict::differs, std::string(pooled_why)};
  }
  if (!trials.was_notified) return {"wake-ups", Verdict::unknown, "not tried"};
  if (!*trials.was_notified) {
    return {"wake-ups", Verdict::fails,
            fmt::format("no notification came within {} ms", trials.wait_ms)};
  }
  const std::string came =
      fmt::format("a notification came after {:.1f} ms", trials.notified_ms.value_or(0));
  if (direct == PoolerMode::session) {
    return {"wake-ups", Verdict::differs,
            came + ", but workers cannot tell this pooler from one in transaction mode, and poll"};
  }
  return {"wake-ups", Verdict::works, came};
}

Mechanism setval_of(const Trials& trials) {
  if (!trials.setval_is_kept) return {"setval", Verdict::unknown, "not tried"};
  if (!*trials.setval_is_kept) {
    return {"setval", Verdict::fails, "a rollback undid it: permits could be granted twice"};
  }
  return {"setval", Verdict::works, "a rollback does not undo it"};
}

Mechanism unlogged_of(const ServerFacts& facts) {
  constexpr const char* name = "unlogged sequences";
  if (facts.is_standby) return {name, Verdict::fails, "a standby cannot read them"};
  switch (provider_of(facts)) {
    case Provider::own:
      return {name, Verdict::works,
              "a crash and a promotion empty them: quotas begin with empty buckets then, and "
              "damaged sequences are made anew"};
    case Provider::aurora:
      return {name, Verdict::works, "they outlive a failover; readers cannot read them"};
    case Provider::neon:
      return {name, Verdict::differs,
              "every restart of the compute empties them, after scaling to zero too: quotas begin "
              "with empty buckets then"};
    case Provider::cockroach:
    case Provider::yugabyte:
    case Provider::dsql:
      return {name, Verdict::fails, "there are none"};
    default:
      return {name, Verdict::works,
              "a crash and a failover should empty them, as in PostgreSQL (not tried there)"};
  }
}

Mechanism writes_of(const ServerFacts& facts) {
  if (facts.is_standby) return {"writes", Verdict::fails, "this is a standby"};
  if (facts.is_read_only) {
    return {"writes", Verdict::fails, "default_transaction_read_only is on for this login"};
  }
  return {"writes", Verdict::works, "this server takes them"};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::works:
      return "works";
    case Verdict::differs:
      return "differs";
    case Verdict::fails:
      return "fails";
    case Verdict::unknown:
      break;
  }
  return "unknown";
}

std::vector<Mechanism> mechanisms_of(const ServerFacts& facts, PoolerMode direct,
                                     const Trials& trials) {
  std::vector<Mechanism> mechanisms = {locks_of(direct, trials), wakeups_of(direct, trials),
                                       setval_of(trials), unlogged_of(facts), writes_of(facts)};
  if (provider_of(facts) == Provider::alloydb && facts.version_number < postgresql_18) {
    mechanisms.push_back({"partitions", Verdict::differs,
                          "before PostgreSQL 18 other users saw locks of partitions last long "
                          "there: watch retention's drops"});
  }
  return mechanisms;
}

Findings judge_pooler(PoolerMode direct, std::string_view address) {
  if (direct == PoolerMode::none && address.empty()) return {};
  const std::string_view name = address.empty() ? "a pooler" : address;
  constexpr const char* way_out =
      "give the server's own address as --direct-url or SLUICE_DIRECT_URL";
  if (direct == PoolerMode::session) {
    return {{"pooler",
             fmt::format("the database is reached through {}, in session mode: workers cannot "
                         "tell it from transaction mode, and poll once a second",
                         name),
             way_out}};
  }
  return {{"pooler",
           fmt::format("the database is reached through {}: workers cannot LISTEN and poll once a "
                       "second, migrations cannot keep their lock",
                       name),
           way_out}};
}

Findings judge_mechanisms(const ServerFacts& facts, const std::vector<Mechanism>& mechanisms) {
  const Provider provider = provider_of(facts);
  if (const std::string_view reason = why_not(provider); !reason.empty()) {
    return {{"provider", fmt::format("this is {}: {}", name_of(provider), reason),
             "use PostgreSQL 15 to 18 (docs/operations/managed.md)"}};
  }
  if (facts.is_standby) {
    return {{"standby", "this server is a standby: it takes no tasks and no results",
             "name the primary, or all servers of the cluster, in --database-url"}};
  }
  Findings findings;
  for (const Mechanism& mechanism : mechanisms) {
    if (mechanism.verdict != Verdict::fails) continue;
    findings.push_back(
        {mechanism.name == "wake-ups" ? "wakeups" : "mechanisms",
         fmt::format("{}: {}", mechanism.name, mechanism.why),
         mechanism.name == "wake-ups"
             ? "workers look once a second meanwhile; see that --direct-url leads to the same "
               "database, on the server itself"
         : mechanism.name == "writes"
             ? "nothing is submitted or claimed: alter system, database or role … reset "
               "default_transaction_read_only"
             : "see that --direct-url leads to the same database; else this server does not do "
               "what PostgreSQL does (docs/operations/managed.md)"});
  }
  return findings;
}

}  // namespace sluice
