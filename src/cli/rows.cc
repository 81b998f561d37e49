#include "cli/rows.h"

#include <string>
#include <utility>
#include <vector>

#include "cli/terminal.h"

namespace sluice {

void print_json_rows(const pqxx::result& rows) {
  for (const pqxx::row& row : rows) print_json(row[0].c_str());
}

void print_rows(Table& table, const pqxx::result& rows) {
  for (const pqxx::row& row : rows) {
    std::vector<std::string> cells;
    for (const pqxx::field& field : row) cells.push_back(field.as<std::string>("-"));
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text());
}

}  // namespace sluice
