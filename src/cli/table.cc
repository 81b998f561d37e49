#include "cli/table.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace sluice {
namespace {

constexpr size_t gap_columns = 2;
constexpr size_t text_columns_max = 16;    // names may have 200 characters
constexpr size_t elastic_columns_min = 8;  // below that a name says nothing

void append_cell(std::string& line, const std::string& cell, size_t width, bool to_the_right) {
  const std::string shown = cut_to(cell, width);
  const std::string pad(width - columns_of(shown), ' ');
  if (!line.empty()) line.append(gap_columns, ' ');
  line += to_the_right ? pad + shown : shown + pad;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = harmless(cell, false);
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::widths(size_t columns_max) const {
  std::vector<size_t> widths;
  size_t elastic = columns_.size();
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = columns_of(columns_[i].heading);
    for (const auto& row : rows_) width = std::max(width, columns_of(row[i]));
    if (columns_[i].kind == Kind::text) width = std::min(width, text_columns_max);
    widths.push_back(width);
    if (columns_[i].kind == Kind::elastic) elastic = i;
  }
  const size_t gaps = gap_columns * (columns_.size() - 1);
  const size_t total = std::accumulate(widths.begin(), widths.end(), gaps);
  if (elastic < columns_.size() && total > columns_max) {
    const size_t others = total - widths[elastic];
    const size_t left = columns_max > others ? columns_max - others : 0;
    widths[elastic] = std::max(left, elastic_columns_min);
  }
  return widths;
}

std::string Table::text(size_t columns_max) const {
  const std::vector<size_t> width = widths(columns_max);
  std::vector<std::string> headings;
  for (const Column& column : columns_) headings.push_back(column.heading);
  std::string out;
  const auto append_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      append_cell(line, cells[i], width[i], columns_[i].kind == Kind::number);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  append_row(headings);
  for (const auto& row : rows_) append_row(row);
  return out;
}

}  // namespace sluice
