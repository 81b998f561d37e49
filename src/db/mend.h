// Repairs unlogged sequences damaged by a promotion or a restore, with sluice.mend_sequences()
// (sql/functions/1_base/counters.sql says what and why). These are the parts that its callers
// share.
#pragma once

#include <string>
#include <string_view>

#include "db/database_url.h"

namespace sluice {

// To be sent again until it answers 0.
inline constexpr const char* mend_sequences_sql = "select mended from sluice.mend_sequences()";

// The error of a statement that reads a damaged sequence: PostgreSQL's internal error.
inline constexpr std::string_view damaged_sqlstate = "XX000";

enum class Mending { done, left_some, may_not };

// Makes anew what is damaged, each round in a transaction that begins with `first`. left_some: a
// lock was not to be had. may_not: this role may not, or the schema is older than the function.
// `mended`, if given, gets how many were made anew.
// Blocking: some seconds at most. Throws what libpqxx throws.
Mending mend_sequences(pqxx::connection& connection, const std::string& first = "",
                       int* mended = nullptr);

}  // namespace sluice
