// Rows of the database as commands print them.
#pragma once

#include <fmt/format.h>

#include <pqxx/pqxx>
#include <string_view>

#include "cli/table.h"

namespace sluice {

// Prints the first column of each row, a JSON object, as a line.
void print_json_rows(const pqxx::result& rows);

// Prints `table` with each row, all its columns; null is "-". Requires: as many as the table has.
void print_rows(Table& table, const pqxx::result& rows);

// The rows `r` of `from`, which may have conditions and an order: as JSON objects, or `columns` of
// them in `table`.
template <class... Arguments>
void print_listing(pqxx::transaction_base& transaction, bool json, Table table,
                   std::string_view from, std::string_view columns, const Arguments&... arguments) {
  const pqxx::result rows = transaction.exec_params(
      fmt::format("select {} from {}", json ? "to_jsonb(r)" : columns, from), arguments...);
  if (json) return print_json_rows(rows);
  print_rows(table, rows);
}

}  // namespace sluice
