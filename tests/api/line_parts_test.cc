#include "api/line_parts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace sluice {
namespace {

std::vector<LineParts::Part> all_of(LineParts& lines) {
  std::vector<LineParts::Part> parts;
  while (auto part = lines.take()) parts.push_back(std::move(*part));
  return parts;
}

}  // namespace

TEST_CASE("parts are whole lines, together the text, whatever pieces it came in") {
  std::string text;
  for (int line = 0; line < 12500; ++line) text += std::string(line % 7, 'x') + "\n";
  text += "without an end";
  for (const size_t step : {size_t{1}, size_t{999}, text.size()}) {
    LineParts lines;
    for (size_t at = 0; at < text.size(); at += step) {
      lines.add(std::string_view(text).substr(at, step));
    }
    lines.end();
    const auto parts = all_of(lines);
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].lines == 5000);
    CHECK(parts[0].text.ends_with('\n'));
    CHECK(parts[2].lines == 2501);
    CHECK(parts[0].text + parts[1].text + parts[2].text == text);
    CHECK(lines.bytes() == static_cast<int64_t>(text.size()));
  }
}

TEST_CASE("a part ends after a MiB, a line too long is said and not kept on") {
  LineParts lines;
  lines.add(std::string(900'000, 'x') + "\n" + std::string(900'000, 'y') + "\nz");
  lines.end();
  const auto parts = all_of(lines);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].lines == 2);
  CHECK(parts[1].text == "z");
  LineParts endless;
  for (int i = 0; i < 20; ++i) endless.add(std::string(size_t{1} << 20, 'x'));
  CHECK(endless.problem() == "a line is longer than 16 MiB");
}

TEST_CASE("a line has so many values, however it is cut, and however many the text has") {
  std::string most = "[1";
  for (int64_t n = 2; n < json_values_max; ++n) most += ",1";
  most += "]\n";
  for (const size_t step : {size_t{1}, size_t{1000}, most.size()}) {
    LineParts lines;
    const std::string text = most + most;
    for (size_t at = 0; at < text.size(); at += step) {
      lines.add(std::string_view(text).substr(at, step));
    }
    CHECK(lines.problem().empty());
    lines.add(most.substr(0, most.size() - 2));
    CHECK(lines.problem().empty());
    lines.add(",");
    CHECK(lines.problem() == "a line has more than 400000 JSON values");
  }
}

TEST_CASE("a line has no number whose exponent makes it long as text") {
  LineParts lines;
  lines.add("{\"a\": 1e999, \"b\": \"1e131071\"}\n[1e1310");
  CHECK(lines.problem() == "a line has a number with an exponent of more than 3 digits");
}

TEST_CASE("a line's exponents are judged when all of it is there") {
  std::string numbers = "[";
  for (int n = 0; n < 100; ++n) numbers += "1e-999,";
  LineParts fair;
  fair.add(numbers);
  fair.add("\"" + std::string(20'000, 'x') + "\"]\n");
  CHECK(fair.problem().empty());
  for (const std::string_view end : {"0]\n", "0]"}) {
    LineParts dear;
    dear.add(numbers);
    CHECK(dear.problem().empty());
    dear.add(end);
    dear.end();
    CHECK(dear.problem().starts_with("a line has numbers whose exponents come to more than 68"));
  }
  LineParts endless;
  for (int n = 0; n < 41; ++n) endless.add(numbers);
  CHECK(endless.problem().empty());
  for (int n = 0; n < 2; ++n) endless.add(numbers.substr(1));
  CHECK(endless.problem() == "a line has numbers whose exponents come to more than 4194304");
}

TEST_CASE("a part has no more exponents than a line may have, and those of one line") {
  std::string line = "[";
  for (int n = 0; n < 60; ++n) line += "1e-999,";
  line += "0]\n";
  LineParts lines;
  for (int n = 0; n < 200; ++n) lines.add(line);
  lines.end();
  CHECK(lines.problem().empty());
  const auto parts = all_of(lines);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].lines == 70);
  CHECK(parts[2].lines == 60);
}

TEST_CASE("a text of nothing has no part") {
  LineParts lines;
  lines.add("");
  lines.end();
  CHECK_FALSE(lines.take());
}

}  // namespace sluice
