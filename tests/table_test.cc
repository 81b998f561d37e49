#include "cli/table.h"

#include <doctest/doctest.h>

#include <sstream>

#include "cli/terminal.h"

namespace sluice {

TEST_CASE("a table is as wide as its content") {
  Table table({{"MODEL", Table::Kind::elastic}, {"DEPTH", Table::Kind::number}, {"STATE"}});
  table.add({"m", "12", "open"});
  table.add({"longer", "3", "paused"});
  CHECK(table.text() ==
        "MODEL   DEPTH  STATE\n"
        "m          12  open\n"
        "longer      3  paused\n");
}

TEST_CASE("a table gives way in its elastic column and never exceeds 80 columns") {
  Table table({{"ID", Table::Kind::number}, {"ERROR", Table::Kind::elastic}, {"CODE"}});
  table.add({"1", std::string(200, 'x'), "http"});
  table.add({"2", "größe", "http"});
  std::istringstream lines(table.text());
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  CHECK(widest == terminal_columns);
  CHECK(table.text().find("xxx…  http\n") != std::string::npos);
}

TEST_CASE("control characters do not reach the terminal") {
  CHECK(harmless("a\x1b[2Jb\x7f\xc2\x9b"
                 "31mc",
                 false) == "a?[2Jb??31mc");
  CHECK(harmless("a\nb\tc\r", false) == "a b c?");
  CHECK(harmless("a\nb\tc", true) == "a\nb\tc");
  CHECK(harmless("größe …", false) == "größe …");
}

TEST_CASE("text is cut at a code point") {
  CHECK(cut_to("größe", 5) == "größe");
  CHECK(cut_to("größer", 4) == "grö…");
  CHECK(cut_to("", 3).empty());
}

}  // namespace sluice
