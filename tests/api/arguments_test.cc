#include "api/arguments.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("an id is a whole number of at least 1 and nothing else") {
  CHECK(parse_id("1") == 1);
  CHECK(parse_id("9223372036854775807") == 9223372036854775807);
  for (const char* wrong :
       {"", "0", "-1", "+1", " 1", "1 ", "1x", "1e3", "0x1", "9223372036854775808"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_id(wrong));
  }
}

TEST_CASE("a count lies between its bounds") {
  CHECK(parse_count("1", 1, 100) == 1);
  CHECK(parse_count("100", 1, 100) == 100);
  CHECK_FALSE(parse_count("0", 1, 100));
  CHECK_FALSE(parse_count("101", 1, 100));
  CHECK_FALSE(parse_count("many", 1, 100));
}

TEST_CASE("a poll is a duration, cut to the longest") {
  CHECK(parse_poll_ms("30s", 60'000) == 30'000);
  CHECK(parse_poll_ms("2h", 60'000) == 60'000);
  CHECK(parse_poll_ms("10ms", 60'000) == 10);
  for (const char* wrong : {"", "soon", "-1s", "1s1"}) CHECK_FALSE(parse_poll_ms(wrong, 60'000));
}

TEST_CASE("what PostgreSQL would refuse is told beforehand") {
  CHECK(is_storable(""));
  CHECK(is_storable("\xc3\xa9"));
  CHECK_FALSE(is_storable("\xff"));
  CHECK_FALSE(is_storable("\xed\xa0\x80"));  // a surrogate
  CHECK_FALSE(is_storable(std::string_view("a\0b", 3)));
}

TEST_CASE("a flag is true only where an object says so") {
  for (const char* yes :
       {R"({"stream":true})", R"({"n":1e400,"a":{"stream":false},"stream" : true})"}) {
    std::string body = yes;
    CAPTURE(yes);
    CHECK(json_flag(body, "stream"));
    CHECK(body == yes);
  }
  for (const char* no : {"", "{}", "[]", R"({"stream":false})", R"({"stream":"true"})",
                         R"({"a":{"stream":true}})", R"({"stream":true)"}) {
    std::string body = no;
    CAPTURE(no);
    json_flag(body, "stream");  // whatever it says of what is no JSON: it must not read beyond it
    if (std::string_view(no) != R"({"stream":true)") CHECK_FALSE(json_flag(body, "stream"));
  }
}

TEST_CASE("the outline of a body is told by its first character") {
  CHECK(json_outline(" \r\n\t{") == JsonOutline::object);
  CHECK(json_outline("[1]") == JsonOutline::array);
  for (const char* neither : {"", "  ", "7", "\"{\"", "\xef\xbb\xbf{}"}) {
    CHECK(json_outline(neither) == JsonOutline::neither);
  }
}

TEST_CASE("the fields of an object are its keys and their JSON, cut between characters") {
  std::string body = R"({"a": "x", "b": [1, 2], "c": null})";
  CHECK(json_fields(body) == HttpFields{{"a", "\"x\""}, {"b", "[1,2]"}, {"c", "null"}});
  std::string text;
  for (int i = 0; i < 60; ++i) text += "ä";
  body = "{\"a\": \"" + text + "\"}";
  CHECK(find_field(json_fields(body), "a") == body.substr(6, 99));
  body = "[1]";
  CHECK(json_fields(body).empty());
  body = "{";
  CHECK(json_fields(body).empty());
}

TEST_CASE("a value is repeated up to its first control character, and not at length") {
  CHECK(in_quotes("many") == "\"many\"");
  CHECK(in_quotes("1\r\nX: y") == "\"1…\"");
  CHECK(in_quotes(std::string(60, 'x')) == "\"" + std::string(50, 'x') + "…\"");
}

}  // namespace sluice
