#include "db/roles.h"

#include <fmt/format.h>

#include <regex>

#include "command_error.h"

namespace sluice {
namespace {

constexpr std::string_view parts[] = {"owner", "worker", "submitter", "reader", "admin"};
constexpr size_t role_name_bytes_max = 63;  // NAMEDATALEN - 1

// The owner's name alone does not tell: app_owner may be a user whose schema has no roles.
constexpr const char* prefix_sql = R"(
  select case
    when owner = 'sluice_owner' then 'sluice'
    when comment = 'roles ' || left(owner, -length('_owner')) || '_*' then left(owner, -length('_owner'))
    else '' end
  from (select pg_get_userbyid(nspowner) as owner, obj_description(oid, 'pg_namespace') as comment
        from pg_namespace where nspname = 'sluice') s)";

}  // namespace

std::string role_prefix_problem(std::string_view prefix) {
  static const std::regex name("[a-z][a-z0-9_]*");
  if (!std::regex_match(prefix.begin(), prefix.end(), name)) {
    return "a prefix begins with a letter and goes on in a-z, 0-9 and _";
  }
  if (prefix.starts_with("pg_")) return "pg_ is PostgreSQL's";
  const size_t bytes_max = role_name_bytes_max - std::string_view("_submitter").size();
  if (prefix.size() > bytes_max) return fmt::format("a prefix has at most {} bytes", bytes_max);
  return "";
}

std::vector<std::string> role_names(std::string_view prefix) {
  std::vector<std::string> names;
  if (prefix.empty()) return names;
  for (const std::string_view part : parts) names.push_back(fmt::format("{}_{}", prefix, part));
  return names;
}

std::string with_role_prefix(std::string_view text, std::string_view prefix) {
  static const std::regex role("\\bsluice_(owner|worker|submitter|reader|admin)\\b");
  if (prefix == default_role_prefix) return std::string(text);
  std::string out;
  std::regex_replace(std::back_inserter(out), text.begin(), text.end(), role,
                     fmt::format("{}_$1", prefix));
  return out;
}

std::string role_prefix_mark(std::string_view prefix) {
  return fmt::format("comment on schema sluice is 'roles {}_*';\n", prefix);
}

std::optional<std::string> role_prefix_of(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  const pqxx::result rows = session.exec(prefix_sql);
  if (rows.empty()) return std::nullopt;
  auto prefix = rows[0][0].as<std::string>();
  // It becomes part of statements.
  const std::string problem = prefix.empty() ? "" : role_prefix_problem(prefix);
  if (!problem.empty()) {
    throw CommandError(ExitCode::bad_configuration,
                       "the comment on schema sluice names no roles: " + problem);
  }
  return prefix;
}

}  // namespace sluice
