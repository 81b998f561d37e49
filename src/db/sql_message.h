// What PostgreSQL said about a statement it refused, taken apart. Only the parts that never quote a
// prompt are kept: CONTEXT and LINE, which may, are dropped.
#pragma once

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

// Our constraints are named as facts: "rpm_is_positive" is "rpm is positive".
std::string sentence_of(std::string_view constraint);

// One line for people: primary (a violated check as its sentence), and the hint in parentheses
// where there is one.
std::string one_line(const SqlMessage& message);

}  // namespace sluice
