// A table for a terminal: columns as wide as they need, one of them giving way, and others left
// out, so that no line is wider than the terminal. It makes text; it does not write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace sluice {

class Table final {
 public:
  enum class Kind {
    text,     // to the left, at most 16 columns where lines are bounded
    whole,    // to the left, never cut
    number,   // to the right
    elastic,  // text that is cut when the table would be too wide; one per table
    address,  // elastic, but cut in its middle: the end tells most
  };
  struct Column {
    std::string heading;
    Kind kind = Kind::text;
    // Where the table would be too wide, columns are left out: those with -1 that say nothing in
    // any row, then the one with the highest number first; those with 0 never.
    int dispensable = 0;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Requires: as many cells as columns. They are made harmless (see harmless_text.h).
  void add(std::vector<std::string> cells);

  // Heading and rows, each with its newline.
  std::string text(size_t columns_max = terminal_width()) const;

 private:
  static constexpr size_t left_out = SIZE_MAX;

  // Of each column; left_out.
  std::vector<size_t> widths(size_t columns_max) const;
  std::vector<size_t> widths_wanted(size_t text_columns_max) const;
  static size_t total(const std::vector<size_t>& widths);
  bool is_elastic(size_t column) const;
  bool says_nothing(size_t column) const;
  std::optional<size_t> most_dispensable(const std::vector<size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sluice
