#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "db/mend.h"
#include "db/roles.h"
#include "db/strangers.h"
#include "doctor/checks.h"

namespace sluice {

Findings check_schema_drift(pqxx::connection& connection, const SqlSet& set) {
  const SchemaState state = schema_state(connection, set);
  const auto pending = std::count_if(state.migrations.begin(), state.migrations.end(),
                                     [](const auto& one) { return !one.applied_at; });
  if (pending == std::ssize(state.migrations)) {
    return {{"schema", "the database has no Sluice schema", "run sluice migrate"}};
  }
  Findings findings;
  if (pending > 0) {
    findings.push_back(
        {"schema", fmt::format("{} migrations are pending", pending), "run sluice migrate"});
  }
  for (const MigrationState& migration : state.migrations) {
    if (!migration.known) {
      findings.push_back({"schema",
                          fmt::format("migration {} is unknown to this binary", migration.name),
                          "use the newer sluice that applied it"});
    } else if (migration.edited) {
      findings.push_back(
          {"schema",
           fmt::format("migration {} ran with another text than this binary has", migration.name),
           "use the sluice that ran it; a migration that ran must not be edited"});
    }
  }
  if (!state.functions_current) {
    findings.push_back({"schema", "the database's functions are not this binary's",
                        "run sluice migrate with the release that the workers run"});
  }
  return findings;
}

Findings check_roles(pqxx::connection& connection) {
  const std::vector<std::string> roles = role_names(role_prefix_of(connection).value_or(""));
  pqxx::nontransaction session(connection);
  Findings findings;
  for (const std::string& role : roles) {
    if (!session.exec_params1("select to_regrole($1)", role)[0].is_null()) continue;
    findings.push_back(
        {"roles", fmt::format("role {} is missing", role),
         fmt::format("create role {} nologin, then apply the functions' grants anew: "
                     "delete from sluice.function_set; sluice migrate",
                     role)});
  }
  return findings;
}

Findings check_sequences(pqxx::connection& connection, int* mended) {
  if (mend_sequences(connection, "", mended) != Mending::left_some) return {};
  return {
      {"sequences", "damaged sequences could not be made anew: sessions hold their locks",
       "end those that are idle in transaction (pg_stat_activity), then run sluice doctor again"}};
}

Findings check_tenant_roles(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  Findings findings;
  for (const pqxx::row& row :
       session.exec("select name, role from sluice.tenants"
                    " where role is not null and to_regrole(quote_ident(role)) is null")) {
    findings.push_back(
        {"roles",
         fmt::format("tenant {} is bound to role {}, which does not exist: only administrators can "
                     "act for it",
                     row[0].c_str(), row[1].c_str()),
         "create the role, or set the tenant's role to null"});
  }
  for (const pqxx::row& row :
       session.exec("select default_role from sluice.settings where default_role <> 'public'"
                    " and to_regrole(quote_ident(default_role)) is null")) {
    findings.push_back({"roles",
                        fmt::format("settings.default_role is {}, which does not exist: only "
                                    "administrators can act for tenants without a role",
                                    row[0].c_str()),
                        "create the role, or set settings.default_role to another one"});
  }
  return findings;
}

Findings check_public_schema(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  const pqxx::result open = session.exec(
      "select from pg_namespace, aclexplode(nspacl) a"
      " where nspname = 'public' and a.grantee = 0 and a.privilege_type = 'CREATE'");
  if (open.empty()) return {};
  return {{"names",
           "everybody may create functions and operators in schema public, which others' sessions "
           "then call with their own rights",
           "revoke create on schema public from public"}};
}

Findings check_references(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  Findings findings;
  for (const auto& key : session.exec(
           "select c.conrelid::regclass, quote_ident(c.conname), t.relname"
           " from pg_constraint c join pg_class t on t.oid = c.confrelid"
           " join pg_class r on r.oid = c.conrelid"
           " where c.contype = 'f' and c.conparentid = 0"
           " and t.relnamespace = 'sluice'::regnamespace and r.relnamespace <> t.relnamespace"
           " and t.relname ~ '^(task|result|attempt)'"
           " order by 1, 2")) {
    findings.push_back(
        {"references",
         fmt::format("{} has a foreign key to sluice.{}: retention fails at the rows that it "
                     "refers to, and deletes nothing",
                     key[0].c_str(), key[2].c_str()),
         fmt::format("alter table {} drop constraint {}; the ids stay good without it",
                     key[0].c_str(), key[1].c_str())});
  }
  return findings;
}

Findings check_strangers(pqxx::connection& connection) {
  const std::string statements = statements_against_strangers(connection);
  Findings findings;
  if (statements.empty()) return findings;
  for (const std::string& name : strangers(connection)) {
    findings.push_back({"connect",
                        fmt::format("{} may connect to this database, as everybody may: it can "
                                    "stop the queues with advisory locks",
                                    name),
                        statements});
  }
  return findings;
}

}  // namespace sluice
