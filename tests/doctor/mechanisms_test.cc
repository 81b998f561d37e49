#include "doctor/mechanisms.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace sluice {
namespace {

ServerFacts server(std::vector<std::string> marks = {}, int version_number = 150'018) {
  return {"PostgreSQL 15.18", version_number, std::move(marks), "db.example", "5432", false};
}

Trials good() {
  Trials trials;
  trials.locks_are_kept = trials.was_notified = trials.setval_is_kept = true;
  trials.notified_ms = 0.4;
  trials.wait_ms = 2'000;
  return trials;
}

Mechanism mechanism(const std::vector<Mechanism>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

Verdict verdict(const ServerFacts& facts, PoolerMode mode, const Trials& trials,
                const std::string& name) {
  return mechanism(mechanisms_of(facts, mode, trials), name).verdict;
}

}  // namespace

TEST_CASE("on PostgreSQL itself everything works") {
  const auto mechanisms = mechanisms_of(server(), PoolerMode::none, good());
  for (const Mechanism& one : mechanisms) {
    INFO(one.name);
    CHECK(one.verdict == Verdict::works);
  }
  CHECK(mechanism(mechanisms, "wake-ups").why == "a notification came after 0.4 ms");
  CHECK(judge_mechanisms(server(), mechanisms).empty());
}

TEST_CASE("a database that is read only is a finding") {
  ServerFacts facts = server();
  facts.is_read_only = true;
  const Findings findings = judge_mechanisms(facts, mechanisms_of(facts, PoolerMode::none, good()));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].way_out.find("default_transaction_read_only") != std::string::npos);
}

TEST_CASE("a mechanism that was tried in vain is a finding, one that was not tried is none") {
  Trials trials = good();
  trials.was_notified = false;
  trials.notified_ms.reset();
  const auto deaf = mechanisms_of(server(), PoolerMode::none, trials);
  REQUIRE(judge_mechanisms(server(), deaf).size() == 1);
  CHECK(judge_mechanisms(server(), deaf)[0].check == "wakeups");
  CHECK(judge_mechanisms(server(), deaf)[0].what ==
        "wake-ups: no notification came within 2000 ms");

  trials = good();
  trials.locks_are_kept = false;
  trials.setval_is_kept = false;
  CHECK(judge_mechanisms(server(), mechanisms_of(server(), PoolerMode::none, trials)).size() == 2);

  const auto untried = mechanisms_of(server(), PoolerMode::none, Trials());
  CHECK(mechanism(untried, "setval").verdict == Verdict::unknown);
  CHECK(judge_mechanisms(server(), untried).empty());
}

TEST_CASE("behind a pooler locks and wake-ups differ by its mode") {
  CHECK(verdict(server(), PoolerMode::transaction, Trials(), "wake-ups") == Verdict::differs);
  CHECK(verdict(server(), PoolerMode::transaction, Trials(), "advisory locks") == Verdict::differs);
  CHECK(verdict(server(), PoolerMode::session, good(), "wake-ups") == Verdict::differs);
  CHECK(verdict(server(), PoolerMode::session, good(), "advisory locks") == Verdict::works);
}

TEST_CASE("a pooler is a finding with its name and mode, unless --direct-url goes past it") {
  CHECK(judge_pooler(PoolerMode::none, "").empty());
  CHECK(judge_pooler(PoolerMode::transaction, "")[0].what.find("a pooler: workers cannot LISTEN") !=
        std::string::npos);
  CHECK(judge_pooler(PoolerMode::session, "")[0].what.find("session mode") != std::string::npos);
  CHECK(judge_pooler(PoolerMode::none, "RDS Proxy")[0].what.find("RDS Proxy") != std::string::npos);
  for (const Finding& finding : judge_pooler(PoolerMode::session, "")) {
    CHECK(finding.way_out.find("--direct-url") != std::string::npos);
  }
}

TEST_CASE("unlogged sequences are what each provider makes of them") {
  const auto unlogged = [](std::vector<std::string> marks) {
    return mechanism(mechanisms_of(server(std::move(marks)), PoolerMode::none, good()),
                     "unlogged sequences");
  };
  CHECK(unlogged({"function aurora_version"}).why.find("outlive a failover") != std::string::npos);
  CHECK(unlogged({"role neon_superuser"}).verdict == Verdict::differs);
  CHECK(unlogged({"role neon_superuser"}).why.find("scaling to zero") != std::string::npos);
  CHECK(unlogged({"role rds_superuser"}).why.find("not tried there") != std::string::npos);
}

TEST_CASE("AlloyDB's partitions are watched until PostgreSQL 18") {
  const auto count = [](int version_number) {
    return mechanisms_of(server({"role alloydbsuperuser"}, version_number), PoolerMode::none,
                         good())
        .size();
  };
  CHECK(count(170'005) == count(180'001) + 1);
}

TEST_CASE("a standby is one finding, whatever else cannot be tried there") {
  ServerFacts standby = server();
  standby.is_standby = true;
  const auto mechanisms = mechanisms_of(standby, PoolerMode::none, Trials());
  CHECK(mechanism(mechanisms, "writes").verdict == Verdict::fails);
  CHECK(mechanism(mechanisms, "unlogged sequences").verdict == Verdict::fails);
  const Findings findings = judge_mechanisms(standby, mechanisms);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].check == "standby");
}

TEST_CASE("a server that is not PostgreSQL is one finding") {
  ServerFacts cockroach = server();
  cockroach.version = "CockroachDB CCL v26.3.0";
  const Findings findings =
      judge_mechanisms(cockroach, mechanisms_of(cockroach, PoolerMode::none, Trials()));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].check == "provider");
  CHECK(findings[0].what == "this is CockroachDB: it has neither advisory locks nor LISTEN");
}

}  // namespace sluice
