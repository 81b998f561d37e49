#include "db/strangers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/roles.h"

namespace sluice {
namespace {

// The insiders: the installation's roles ($1) or, where there are none, the schema's owner.
constexpr const char* insiders_sql = R"(
  with insiders as (
    select r as name from pg_namespace,
      unnest(coalesce(string_to_array(nullif($1, ''), ' '), array[pg_get_userbyid(nspowner)::text])) r
    where nspname = 'sluice' and to_regrole(quote_ident(r)) is not null)
)";

constexpr const char* statements_sql = R"(
  select format('revoke connect on database %1$I from public; grant connect on database %1$I to %2$s;',
    current_database(), (select string_agg(quote_ident(name), ', ') from insiders))
  from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
  where d.datname = current_database() and a.grantee = 0 and a.privilege_type = 'CONNECT')";

constexpr const char* strangers_sql = R"(
  select rolname from pg_roles r
  where rolcanlogin and not rolsuper and has_database_privilege(oid, current_database(), 'connect')
    and not exists (select from insiders where pg_has_role(r.oid, name, 'member'))
  order by 1 limit 20)";

pqxx::result look(pqxx::connection& connection, const char* sql) {
  const std::vector<std::string> roles = role_names(role_prefix_of(connection).value_or(""));
  pqxx::nontransaction session(connection);
  return session.exec_params(std::string(insiders_sql) + sql,
                             fmt::format("{}", fmt::join(roles, " ")));
}

}  // namespace

std::string statements_against_strangers(pqxx::connection& connection) {
  const pqxx::result rows = look(connection, statements_sql);
  return rows.empty() ? "" : rows[0][0].as<std::string>();
}

std::vector<std::string> strangers(pqxx::connection& connection) {
  std::vector<std::string> names;
  for (const pqxx::row& row : look(connection, strangers_sql)) {
    names.push_back(row[0].as<std::string>());
  }
  return names;
}

}  // namespace sluice
