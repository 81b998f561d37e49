#include "cli/table.h"

#include <doctest/doctest.h>

#include <sstream>

#include "cli/terminal.h"
#include "harmless_text.h"

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
  std::istringstream lines(table.text(terminal_columns));
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  CHECK(widest == terminal_columns);
  CHECK(table.text(terminal_columns).find("xxx…  http\n") != std::string::npos);
}

TEST_CASE("what says nothing in any row goes first, and an address keeps both of its ends") {
  Table table({{"MODEL"}, {"RPM", Table::Kind::number, -1}, {"URL", Table::Kind::address}});
  table.add({"m", "-", "http://127.0.0.1:21001/v1"});
  CHECK(table.text(40).starts_with("MODEL  RPM  URL\n"));
  CHECK(table.text(36) == "MODEL  URL\nm      http://127.0.0.1:21001/v1\n");
  CHECK(table.text(27) == "MODEL  URL\nm      http://12…1:21001/v1\n");
  table.add({"n", "60", "http://größe:21001"});
  CHECK(table.text(27).starts_with("MODEL  RPM  URL\nm        -  http://…1001/v1\n"));
}

TEST_CASE("a table that is read later is not cut") {
  Table table({{"TENANT"}, {"ERROR", Table::Kind::elastic}, {"CODE", Table::Kind::text, 1}});
  const std::string name(40, 't'), error(300, 'e');
  table.add({name, error, "http"});
  CHECK(table.text(unlimited_columns).ends_with(name + "  " + error + "  http\n"));
  CHECK(table.text(terminal_columns).find(name) == std::string::npos);
}

TEST_CASE("control characters do not reach the terminal") {
  CHECK(harmless("a\x1b[2Jb\x7f\xc2\x9b"
                 "31mc",
                 false) == "a?[2Jb??31mc");
  CHECK(harmless("a\nb\tc\r", false) == "a b c?");
  CHECK(harmless("a\nb\tc", true) == "a\nb\tc");
  CHECK(harmless("größe …", false) == "größe …");
}

TEST_CASE("nor do the controls of bidirectional text") {
  CHECK(harmless("task \u202egpj.exe\u202c", true) == "task ?gpj.exe?");
  CHECK(harmless("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069", false) ==
        "???????????");
  const char* neighbours = "\u061b\u061d\u200d\u2010\u2027\u202f\u205f\u2070 אבג";
  CHECK(harmless(neighbours, false) == neighbours);
  CHECK(harmless("\xe2\x80", false) == "\xe2\x80");  // cut off
}

TEST_CASE("nor what hides text or ends a line without a newline") {
  CHECK(harmless("a\u200bb\u00ad\u2028\u2029\u2060\u2064\ufeff\ufff9\ufffb\U000e0041\U000e0000",
                 true) == "a?b??????????");
  const char* joined = "می\u200cخواهم 👨\u200d👩\u200d👧 \ufff8\ufffd\U000e0080";
  CHECK(harmless(joined, false) == joined);
}

TEST_CASE("in JSON they are escaped, and mean the same") {
  CHECK(harmless_json("{\"a\": \"\x7f\u009b\u202e\u2028\U000e0041 größe\",\n\t\"b\": \"\\n\"}") ==
        "{\"a\": \"\\u007f\\u009b\\u202e\\u2028\\udb40\\udc41 größe\",\n\t\"b\": \"\\n\"}");
  CHECK(harmless_json("\"\xe2\x80") == "\"\xe2\x80");              // cut off
  CHECK(harmless_json("\x1b[2J\r\x07") == "\\u001b[2J\r\\u0007");  // of a false server
}

TEST_CASE("text is cut at a code point") {
  CHECK(cut_to("größe", 5) == "größe");
  CHECK(cut_to("größer", 4) == "grö…");
  CHECK(cut_to("", 3).empty());
}

TEST_CASE("text is wrapped at blanks, and long words stay whole") {
  CHECK(wrapped("one two three", 13) == "one two three");
  CHECK(wrapped("one two three", 12) == "one two\n  three");
  CHECK(wrapped("one two three", 7) == "one two\n  three");
  CHECK(wrapped("to http://127.0.0.1:8090/v1 not", 10) == "to\n  http://127.0.0.1:8090/v1\n  not");
  CHECK(wrapped("größe 模型", 10) == "größe 模型");
  CHECK(wrapped("größe 模型", 9) == "größe\n  模型");
  CHECK(wrapped("one two", unlimited_columns) == "one two");
  CHECK(wrapped("", 3).empty());
}

TEST_CASE("width is counted as terminals count it") {
  CHECK(columns_of("größe") == 5);
  CHECK(columns_of("模型") == 4);
  CHECK(columns_of("🚀ok") == 4);
  CHECK(columns_of("e\u0301a\u0308") == 2);  // combining marks take nothing
  CHECK(columns_of("a\u200db") == 2);        // nor does a zero-width joiner
  CHECK(columns_of("a\xff\xe6\xa8") == 4);   // no UTF-8: a column a byte
}

TEST_CASE("wide text is cut within its columns, and marks stay with their letters") {
  CHECK(cut_to("模型模型", 8) == "模型模型");
  CHECK(cut_to("模型模型", 7) == "模型模…");
  CHECK(cut_to("模型模型", 6) == "模型…");  // no half of a character: a column stays free
  CHECK(cut_to("e\u0301e\u0301e\u0301", 2) == "e\u0301…");
  CHECK(cut_to("模", 1) == "…");
  CHECK(cut_to("模", 0).empty());
}

TEST_CASE("columns stand below each other, whatever is in them") {
  Table table({{"MODEL", Table::Kind::elastic}, {"DEPTH", Table::Kind::number}, {"STATE"}});
  table.add({"模型", "12", "open"});
  table.add({"🚀 fast", "3", "paused"});
  table.add({"cafe\u0301", "4", "open"});
  CHECK(table.text() ==
        "MODEL    DEPTH  STATE\n"
        "模型        12  open\n"
        "🚀 fast      3  paused\n"
        "cafe\u0301         4  open\n");
}

TEST_CASE("a table that is too wide leaves out what is dispensable, the most dispensable first") {
  const auto kind = Table::Kind::number;
  Table table({{"MODEL", Table::Kind::elastic}, {"AA", kind, 1}, {"BB", kind}, {"CC", kind, 2}});
  table.add({"a-long-model-name", "1", "2", "3"});
  CHECK(table.text(29) == "MODEL              AA  BB  CC\na-long-model-name   1   2   3\n");
  CHECK(table.text(24) == "MODEL         AA  BB  CC\na-long-mode…   1   2   3\n");
  CHECK(table.text(23) == "MODEL            AA  BB\na-long-model-n…   1   2\n");
  CHECK(table.text(16) == "MODEL         BB\na-long-mode…   2\n");
  CHECK(table.text(10) == "MODEL     BB\na-long-…   2\n");  // there is no less
}

TEST_CASE("large numbers are brief") {
  CHECK(brief_count(0) == "0");
  CHECK(brief_count(9'999) == "9999");
  CHECK(brief_count(12'345) == "12k");
  CHECK(brief_count(999'700) == "1.0M");
  CHECK(brief_count(3'449'000) == "3.4M");
  CHECK(brief_count(5e12) == "5000G");
}

}  // namespace sluice
