// The roles of an installation. PostgreSQL's roles are the cluster's: a second installation there
// has others, of another prefix, and nobody's membership reaches from one to the other.
#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// That the SQL is written with.
inline constexpr std::string_view default_role_prefix = "sluice";

// Why a prefix will not do: it begins with a letter, goes on in a-z, 0-9 and _, and leaves room for
// the role's part in PostgreSQL's 63 bytes. Empty: it will.
std::string role_prefix_problem(std::string_view prefix);

// PREFIX_owner, then the other four. None for an empty prefix: a schema without roles.
std::vector<std::string> role_names(std::string_view prefix);

// The same SQL, or message, for the roles of that prefix.
std::string with_role_prefix(std::string_view text, std::string_view prefix);

// The statement that lets role_prefix_of know; as the schema's owner.
std::string role_prefix_mark(std::string_view prefix);

// Of this database's schema; empty: it belongs to a user, without roles; nullopt: there is none.
// Blocking; throws what libpqxx throws. Everybody may read it.
std::optional<std::string> role_prefix_of(pqxx::connection& connection);

}  // namespace sluice
