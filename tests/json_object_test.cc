#include "json_object.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace sluice {
namespace {

std::string problem(std::string text) {
  return json_object_problem(text);
}

}  // namespace

TEST_CASE("an object is an object, whatever its values") {
  for (const char* text :
       {"{}", " { } ", R"({"prompt":"a"})", "{\"prompt\":\"a\"}\r", R"({"m":{"n":[1,{"o":2}]}})",
        R"({"n":123456789012345678901234567890,"x":1e999})", R"({"p":"}{","q":"\u0000"})"}) {
    CAPTURE(text);
    CHECK(problem(text).empty());
  }
}

TEST_CASE("what is not one object is refused") {
  for (const char* text : {"", " ", "x", "[]", "[{}]", "1", "null", R"("a")", "{", "}", R"({"a":1)",
                           R"({"a":1},{"b":2})", R"({"a":1}{"b":2})", R"({} {})", R"({"a":1},)",
                           R"({"a":1}])", R"({"a" 1})", "{1:2}"}) {
    CAPTURE(text);
    CHECK(problem(text) == "not a JSON object");
  }
}

TEST_CASE("the reason is named where it is plain, and the text never quoted") {
  CHECK(problem("{\"prompt\":\"\xff\"}") == "invalid UTF-8");
  CHECK(problem("{\"prompt\":\"\xed\xa0\x80\"}") == "invalid UTF-8");
  CHECK(problem(R"({"prompt":"a)") == "not JSON: a string is not closed");
  CHECK(problem("{\"prompt\":\"a\x01\"}") == "not JSON: a control character in a string");
  CHECK(problem(std::string("{\"prompt\":\"a\0\"}", 15)) ==
        "not JSON: a control character in a string");
}

TEST_CASE("an object of many keys is refused before anybody has to look them up") {
  std::string text = "{";
  for (int key = 0; key < json_keys_max; ++key) text += fmt::format(R"("k{}":0,)", key);
  CHECK(problem(text + R"("more":0})") == "an object of more than 1000 keys");
  text.back() = '}';
  CHECK(problem(text).empty());
}

TEST_CASE("values are counted in whatever pieces they come, characters of strings are not") {
  const std::pair<std::string_view, int64_t> texts[] = {{"1", 1},
                                                        {R"({"a":[1,2,{"b":null}],"c":"d"})", 7},
                                                        {R"(["[,{","\",[","\\",1])", 5},
                                                        {"[1,,,", 5}};
  for (const auto& [text, count] : texts) {
    CAPTURE(text);
    JsonValueCount whole;
    whole.add(text);
    JsonValueCount pieces;
    for (size_t at = 0; at < text.size(); ++at) pieces.add(text.substr(at, 1));
    CHECK(pieces.count() == whole.count());
    CHECK(whole.count() == count);
  }
}

}  // namespace sluice
