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

// One line for people: primary, and the hint in parentheses where there is one.
std::string one_line(const SqlMessage& message);

}  // namespace sluice
