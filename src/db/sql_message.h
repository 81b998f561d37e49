// PostgreSQL's message about a refused statement, in its parts. Only parts that never quote a
// prompt are kept: CONTEXT and LINE, which may, are dropped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

struct SqlMessage {
  std::string primary;  // without the severity
  std::string detail;   // may quote a value: show it only where that is known to be harmless
  std::string hint;
};

// `text` as libpq gives it: "ERROR:  primary\nDETAIL:  ...\nHINT:  ...\nCONTEXT:  ...\n".
SqlMessage parse_sql_message(std::string_view text);

// The name of the check constraint that `primary` says was violated; empty if it says no such
// thing.
std::string_view violated_check(std::string_view primary);

// The number N of the parameter $N whose text PostgreSQL could not read, as the whole `text` of the
// error says in its CONTEXT; 0 if it says no such thing.
size_t misread_parameter(std::string_view text);

// Our constraints are named as facts: "rpm_is_positive" is "rpm is positive"; where the name is not
// all that one must know, there is more. `column`: the one that the name begins with, if it does.
std::string fact_of(std::string_view constraint, std::string_view column = {});

// Whether the name of `constraint` begins with `column`.
bool concerns(std::string_view constraint, std::string_view column);

// One line for people: primary (a violated check as its sentence), and the hint in parentheses,
// with a small letter, where there is one.
std::string one_line(const SqlMessage& message);

}  // namespace sluice
