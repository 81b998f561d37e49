#include "doctor/provider.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

constexpr const char* debian =
    "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc";

ServerFacts server(std::vector<std::string> marks, std::string host = "db.example",
                   std::string version = debian) {
  return {std::move(version), 150'018, std::move(marks), std::move(host), "5432", false};
}

}  // namespace

TEST_CASE("a server without any provider's mark is one's own") {
  CHECK(provider_of(server({})) == Provider::own);
  CHECK(provider_of(server({}, "/var/run/postgresql")) == Provider::own);
  CHECK(why_not(Provider::own).empty());
}

// As the providers' documentation names them: docs/operations/managed.md.
TEST_CASE("a provider is known by a role, a setting, a function or an extension of its own") {
  CHECK(provider_of(server({"role rds_superuser", "setting rds.extensions"})) == Provider::rds);
  CHECK(provider_of(server({"role cloudsqlsuperuser"})) == Provider::cloud_sql);
  CHECK(provider_of(server({"role alloydbsuperuser", "role alloydbagent"})) == Provider::alloydb);
  CHECK(provider_of(server({"role azuresu", "role azure_pg_admin"})) == Provider::azure);
  CHECK(provider_of(server({"role neon_superuser"})) == Provider::neon);
  CHECK(provider_of(server({"setting neon.timeline_id", "setting neon.tenant_id"})) ==
        Provider::neon);
  CHECK(provider_of(server({"role supabase_admin"})) == Provider::supabase);
  CHECK(provider_of(server({"extension crunchy_pooler"})) == Provider::crunchy);
}

TEST_CASE("Aurora has the marks of RDS, too") {
  CHECK(provider_of(server({"role rds_superuser", "function aurora_version"})) == Provider::aurora);
}

TEST_CASE("what speaks PostgreSQL's protocol alone is known, and refused with its reason") {
  const ServerFacts cockroach = server({}, "db.example", "CockroachDB CCL v26.3.0 (x86_64)");
  const ServerFacts yugabyte = server({}, "db.example", "PostgreSQL 15.12-YB-2025.2.3.0-b0");
  const ServerFacts dsql = server({"relation sys.iam_pg_role_mappings"});
  CHECK(provider_of(cockroach) == Provider::cockroach);
  CHECK(provider_of(yugabyte) == Provider::yugabyte);
  CHECK(provider_of(dsql) == Provider::dsql);
  for (const ServerFacts& facts : {cockroach, yugabyte, dsql}) {
    CHECK_FALSE(why_not(provider_of(facts)).empty());
  }
}

TEST_CASE("the host's name decides where the catalog shows nothing") {
  CHECK(provider_of(server({}, "x.abc.eu-central-1.rds.amazonaws.com")) == Provider::rds);
  CHECK(provider_of(server({}, "ep-cool-1.eu-central-1.aws.neon.tech")) == Provider::neon);
  CHECK(provider_of(server({}, "p.abc.db.postgresbridge.com")) == Provider::crunchy);
  CHECK(provider_of(server({}, "rds.amazonaws.com.example")) == Provider::own);
  CHECK(provider_of(server({"role supabase_admin"}, "x.rds.amazonaws.com")) == Provider::supabase);
}

TEST_CASE("all marks are asked for, each by its kind") {
  const std::vector<std::string> marks = provider_marks();
  CHECK(marks.size() > 10);
  for (const std::string& mark : marks) {
    const std::string kind = mark.substr(0, mark.find(' '));
    INFO(mark);
    CHECK((kind == "role" || kind == "function" || kind == "setting" || kind == "relation" ||
           kind == "extension"));
  }
}

TEST_CASE("a provider's pooler is known by its address") {
  CHECK(pooler_at("x.proxy-abc.eu-central-1.rds.amazonaws.com", "5432") == "RDS Proxy");
  CHECK(pooler_at("x.abc.eu-central-1.rds.amazonaws.com", "5432").empty());
  CHECK(pooler_at("ep-cool-1-pooler.eu-central-1.aws.neon.tech", "5432") == "Neon's PgBouncer");
  CHECK(pooler_at("ep-cool-1.eu-central-1.aws.neon.tech", "5432").empty());
  CHECK(pooler_at("aws-0-eu.pooler.supabase.com", "6543") == "Supavisor in transaction mode");
  CHECK(pooler_at("aws-0-eu.pooler.supabase.com", "5432") == "Supavisor in session mode");
  CHECK(pooler_at("s.postgres.database.azure.com", "6432") == "Azure's PgBouncer");
  CHECK(pooler_at("s.postgres.database.azure.com", "5432").empty());
  CHECK(pooler_at("p.x.db.postgresbridge.com", "5431") == "Crunchy Bridge's PgBouncer");
  CHECK(pooler_at("/tmp", "6432").empty());
}

}  // namespace sluice
