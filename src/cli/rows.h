// Rows of the database as commands print them.
#pragma once

namespace pqxx {
class result;
}

namespace sluice {

class Table;

// Prints the first column of each row, a JSON object, as a line.
void print_json_rows(const pqxx::result& rows);

// Prints `table` with each row, all its columns; null is "-". Requires: as many as the table has.
void print_rows(Table& table, const pqxx::result& rows);

}  // namespace sluice
