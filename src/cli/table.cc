#include "cli/table.h"

#include <algorithm>
#include <cassert>

#include "harmless_text.h"

namespace sluice {
namespace {

constexpr size_t gap_columns = 2;
constexpr size_t text_columns_usual = 16;  // names may have 200 characters
constexpr size_t elastic_columns_min = 8;  // below that a name says nothing
// Below that, or its heading, another column is rather left out.
constexpr size_t elastic_columns_easy = 12;

std::string cut_in_the_middle(std::string_view text, size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  size_t end = text.size() - columns / 2;
  while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;  // a code point stays whole
  const std::string_view rest = text.substr(end);
  return cut_to(text, columns - columns_of(rest)).append(rest);
}

void append_cell(std::string& line, const std::string& cell, size_t width, Table::Kind kind) {
  const std::string shown =
      kind == Table::Kind::address ? cut_in_the_middle(cell, width) : cut_to(cell, width);
  const std::string pad(width - columns_of(shown), ' ');
  if (!line.empty()) line.append(gap_columns, ' ');
  line += kind == Table::Kind::number ? pad + shown : shown + pad;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = harmless(cell, false);
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::widths_wanted(size_t text_columns_max) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = columns_of(columns_[i].heading);
    for (const auto& row : rows_) width = std::max(width, columns_of(row[i]));
    if (columns_[i].kind == Kind::text) width = std::min(width, text_columns_max);
    widths.push_back(width);
  }
  return widths;
}

size_t Table::total(const std::vector<size_t>& widths) {
  size_t total = 0;
  for (const size_t width : widths) {
    if (width != left_out) total += width + (total == 0 ? 0 : gap_columns);
  }
  return total;
}

bool Table::is_elastic(size_t column) const {
  return columns_[column].kind == Kind::elastic || columns_[column].kind == Kind::address;
}

bool Table::says_nothing(size_t column) const {
  return std::all_of(rows_.begin(), rows_.end(), [column](const auto& row) {
    return row[column].empty() || row[column] == "-";
  });
}

std::optional<size_t> Table::most_dispensable(const std::vector<size_t>& widths) const {
  std::optional<size_t> found;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (widths[i] == left_out || columns_[i].dispensable <= 0) continue;
    if (!found || columns_[i].dispensable > columns_[*found].dispensable) found = i;
  }
  return found;
}

std::vector<size_t> Table::widths(size_t columns_max) const {
  const bool bounded = columns_max != unlimited_columns;
  std::vector<size_t> widths = widths_wanted(bounded ? text_columns_usual : unlimited_columns);
  size_t none = 0;  // stands for the elastic column where there is none
  size_t* elastic = &none;
  size_t easy = elastic_columns_easy;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!is_elastic(i)) continue;
    elastic = &widths[i];
    easy = std::max(easy, columns_of(columns_[i].heading));
  }
  for (size_t i = 0; i < columns_.size() && total(widths) > columns_max; ++i) {
    if (columns_[i].dispensable < 0 && says_nothing(i)) widths[i] = left_out;
  }
  while (total(widths) > columns_max) {
    const size_t excess = total(widths) - columns_max;
    const std::optional<size_t> dispensable = most_dispensable(widths);
    const size_t least = std::min(*elastic, dispensable ? easy : elastic_columns_min);
    if (*elastic - least >= excess || !dispensable) {
      *elastic = std::max(least, *elastic - std::min(*elastic, excess));
      break;
    }
    widths[*dispensable] = left_out;
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
      if (width[i] == left_out) continue;
      append_cell(line, cells[i], width[i], columns_[i].kind);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  append_row(headings);
  for (const auto& row : rows_) append_row(row);
  return out;
}

}  // namespace sluice
