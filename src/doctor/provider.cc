#include "doctor/provider.h"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

struct ProviderTraits {
  Provider provider;
  std::string_view name;
  std::string_view version_part;  // of version(); empty: it says nothing
  std::array<std::string_view, 3> marks;
  std::string_view host_end;
  std::string_view why_not;
};

// The first that fits counts: Aurora has the marks of RDS, too.
constexpr std::array<ProviderTraits, 11> providers = {{
    {Provider::cockroach,
     "CockroachDB",
     "CockroachDB",
     {},
     ".cockroachlabs.cloud",
     "it has neither advisory locks nor LISTEN"},
    {Provider::yugabyte,
     "YugabyteDB",
     "-YB-",
     {},
     ".yugabyte.cloud",
     "it rolls no DDL back unless told to, and its advisory locks and LISTEN are previews"},
    {Provider::dsql,
     "Aurora DSQL",
     "",
     {"relation sys.iam_pg_role_mappings"},
     ".on.aws",
     "it has no PL/pgSQL, sequences, triggers or partitions"},
    {Provider::aurora,
     "Amazon Aurora",
     "",
     {"function aurora_version", "function aurora_replica_status"},
     "",
     ""},
    {Provider::rds,
     "Amazon RDS",
     "",
     {"role rds_superuser", "setting rds.extensions"},
     ".rds.amazonaws.com",
     ""},
    {Provider::alloydb, "AlloyDB", "", {"role alloydbsuperuser", "role alloydbagent"}, "", ""},
    {Provider::cloud_sql,
     "Cloud SQL",
     "",
     {"role cloudsqlsuperuser", "setting cloudsql.iam_authentication"},
     "",
     ""},
    {Provider::azure,
     "Azure Database for PostgreSQL",
     "",
     {"role azure_pg_admin", "role azuresu", "setting azure.extensions"},
     ".postgres.database.azure.com",
     ""},
    {Provider::neon,
     "Neon",
     "",
     {"role neon_superuser", "setting neon.timeline_id", "setting neon.tenant_id"},
     ".neon.tech",
     ""},
    {Provider::supabase,
     "Supabase",
     "",
     {"role supabase_admin", "role supabase_auth_admin"},
     ".supabase.co",
     ""},
    {Provider::crunchy,
     "Crunchy Bridge",
     "",
     {"extension crunchy_pooler", "role crunchy_pooler"},
     ".postgresbridge.com",
     ""},
}};

bool has_mark(const ServerFacts& facts, const ProviderTraits& traits) {
  return std::any_of(traits.marks.begin(), traits.marks.end(), [&](std::string_view mark) {
    return !mark.empty() &&
           std::find(facts.marks.begin(), facts.marks.end(), mark) != facts.marks.end();
  });
}

const ProviderTraits* traits_of(Provider provider) {
  const auto* found = std::find_if(providers.begin(), providers.end(),
                                   [&](const auto& traits) { return traits.provider == provider; });
  return found == providers.end() ? nullptr : found;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> provider_marks() {
  std::vector<std::string> marks;
  for (const ProviderTraits& traits : providers) {
    for (const std::string_view mark : traits.marks) {
      if (!mark.empty()) marks.emplace_back(mark);
    }
  }
  return marks;
}

Provider provider_of(const ServerFacts& facts) {
  for (const ProviderTraits& traits : providers) {
    const bool says_so =
        !traits.version_part.empty() && contains(facts.version, traits.version_part);
    if (says_so || has_mark(facts, traits)) return traits.provider;
  }
  // The name alone: the catalog could not be read, or the provider has taken its marks away.
  for (const ProviderTraits& traits : providers) {
    if (!traits.host_end.empty() && std::string_view(facts.host).ends_with(traits.host_end)) {
      return traits.provider;
    }
  }
  return Provider::own;
}

std::string_view name_of(Provider provider) {
  const ProviderTraits* traits = traits_of(provider);
  return traits == nullptr ? "no provider's mark" : traits->name;
}

std::string_view why_not(Provider provider) {
  const ProviderTraits* traits = traits_of(provider);
  return traits == nullptr ? "" : traits->why_not;
}

std::string_view pooler_at(const std::string& host, const std::string& port) {
  const std::string_view name = host;
  if (name.ends_with(".rds.amazonaws.com") && contains(name, ".proxy-")) return "RDS Proxy";
  if (name.ends_with(".neon.tech") && contains(name, "-pooler.")) return "Neon's PgBouncer";
  if (name.ends_with(".pooler.supabase.com")) {
    return port == "6543" ? "Supavisor in transaction mode" : "Supavisor in session mode";
  }
  if (name.ends_with(".supabase.co") && port == "6543") return "Supabase's PgBouncer";
  if (name.ends_with(".postgres.database.azure.com") && port == "6432") return "Azure's PgBouncer";
  if (name.ends_with(".postgresbridge.com") && port == "5431") return "Crunchy Bridge's PgBouncer";
  return "";
}

}  // namespace sluice
