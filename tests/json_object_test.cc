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
    CHECK(problem(text).starts_with("not a JSON object"));
  }
}

TEST_CASE("a text that is cut off is told with its end") {
  CHECK(problem(R"({"a":1)") == "not a JSON object: it ends at byte 6, before the object does");
  CHECK(problem(R"({"a":[1, "}]")") ==
        "not a JSON object: it ends at byte 13, before the object does");
  CHECK(problem(R"({"a":1}])") == "not a JSON object");
  CHECK(problem(R"({"a" 1})") == "not a JSON object");
}

TEST_CASE("the reason is named where it is plain, and the text never quoted") {
  CHECK(problem("{\"prompt\":\"\xff\"}") == "invalid UTF-8");
  CHECK(problem("{\"prompt\":\"\xed\xa0\x80\"}") == "invalid UTF-8");
  CHECK(problem(R"({"prompt":"a)") == "not JSON: a string is not closed where it ends, at byte 12");
  CHECK(problem("{\"prompt\":\"a\x01\"}") == "not JSON: a control character in a string");
  CHECK(problem(std::string("{\"prompt\":\"a\0\"}", 15)) ==
        "not JSON: a control character in a string");
}

TEST_CASE("a key of the object is found however it is escaped, and none of what is inside") {
  const auto has = [](std::string text) {
    bool found = true;
    CHECK(json_object_problem(text, json_keys_max, "a_b", &found).empty());
    return found;
  };
  CHECK(has(R"({"x":1,"a_b":null})"));
  CHECK(has(R"({"a\u005fb":"1","x":[]})"));
  CHECK_FALSE(has("{}"));
  CHECK_FALSE(has(R"({"x":{"a_b":1},"a_bc":"a_b"})"));
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
    JsonMeasure whole;
    whole.add(text);
    JsonMeasure pieces;
    for (size_t at = 0; at < text.size(); ++at) pieces.add(text.substr(at, 1));
    CHECK(pieces.values() == whole.values());
    CHECK(whole.values() == count);
  }
}

TEST_CASE("a text dear to read is refused, whatever is in its strings") {
  const auto list = [](int64_t lists) {
    std::string text = "[";
    for (int64_t n = 0; n < lists; ++n) text += "[],";
    return text + "0]";
  };
  const std::string most = list(json_values_max / 2 - 1);
  CHECK(json_cost_problem(most).empty());
  CHECK(json_cost_problem("[" + most + "]") == "more than 400000 JSON values");
  CHECK(json_cost_problem("[1,2]", 3).empty());
  CHECK(json_cost_problem("[1,2,3]", 3) == "more than 3 JSON values");
  const std::string strings(size_t{4} * json_values_max, '[');
  CHECK(json_cost_problem("[\"" + strings + "\\\"" + strings + "\"]", 3).empty());
  CHECK(json_cost_problem("[\"\\\\\",1,2]", 3) == "more than 3 JSON values");
}

TEST_CASE("of strings, those that are requests are counted, however they are escaped") {
  const std::pair<std::string_view, int64_t> texts[] = {
      {R"([])", 0},
      {R"({"prompt":"{\"a\":[1,2]}","content":"{1,2}"})", 0},
      {R"(["request", "{1,2}"])", 0},
      {R"({"request":{"content":"{1,2}"}})", 0},
      {R"({"request":"{}"})", 2},
      {R"({"request":"{\"a\": [1,2,\"x,{\\\",[\"]}"})", 5},
      {R"([{"request" : "{\"a\":1}"},{"\u0072equest": " \n\t{\"c\":[1,2]}"}])", 6},
      {R"({"request":"\u007b\u0022a,\u0022:\u005b1\u002c1]}"})", 4},
      {R"({"request":"{[,", "request":"\u007)", 5},
      {R"({"request":"{\)", 2},
      {R"({"request)", 0},
  };
  for (const auto& [text, count] : texts) {
    CAPTURE(text);
    int64_t values = 1;
    CHECK(json_requests_problem(text, 100, values).empty());
    CHECK(values == 1 + count);
  }
}

TEST_CASE("requests in strings cost no more to read than others") {
  int64_t values = 90;
  const std::string few = R"({"request":"[1,2,3,4,5]"})";
  CHECK(json_requests_problem(few, 96, values).empty());
  CHECK(values == 96);
  CHECK(json_requests_problem(few, 96, values) == "more than 96 JSON values, the body's counted");
  values = 0;
  CHECK(json_requests_problem(R"({"request":"{\"a\":1e131071}"})", 100, values) ==
        "a number with an exponent of more than 3 digits");
  std::string strings;
  for (int n = 0; n < 201; ++n) strings += "\"\"";
  CHECK(json_requests_problem(strings, 100, values) == "more than 200 strings");
  CHECK(json_requests_problem(R"({"request":")" + std::string(9000, ' ') + R"({\"a\":[1,1]}"})",
                              100, values)
            .empty());
  CHECK(values == 4);
}

TEST_CASE("each of many requests has the values of one") {
  std::string request = R"({"params":[1)";
  for (int64_t n = 0; n < json_values_max / 2; ++n) request += ",1";
  request += "]}";
  const std::string requests = request + "," + request + "," + request;
  CHECK(json_cost_problem(R"({"requests":[)" + requests + "]}", 2'000'000).empty());
  request.insert(request.size() - 1, "," + request);
  CHECK(json_cost_problem(R"({"requests":[{},)" + request + "]}", 2'000'000) ==
        "an item of more than 400000 JSON values");
}

TEST_CASE("an exponent has the digits of a double's") {
  for (const char* text : {"1.7976931348623157e+308", "[1E-999,true,false,1e2]",
                           R"({"deface1234":"1e131071"})", "[1e1,1234]"}) {
    CAPTURE(text);
    CHECK(json_cost_problem(text).empty());
  }
  for (const char* text : {"1e1000", "[1E-1000]", R"({"a":[-0.5e+0001]})"}) {
    CAPTURE(text);
    CHECK(json_cost_problem(text) == "a number with an exponent of more than 3 digits");
  }
}

TEST_CASE("exponents come to no more than what so many bytes may bring") {
  const auto list = [](std::string_view number, size_t count) {
    std::string text = "[";
    for (size_t n = 0; n < count; ++n) text.append(number).append(",");
    return text + "0]";
  };
  CHECK(json_cost_problem(list("1.23e-05", 399'000)).empty());
  CHECK_FALSE(json_cost_problem(list("2E+28", 300'000)).empty());  // more than 4 Mi
  CHECK(json_cost_problem(list("-1.7976931348623157e+308", 200)).empty());
  CHECK(json_cost_problem(list("1e-999", 66)).empty());
  CHECK(json_cost_problem(list("1e-999", 70)) == "numbers whose exponents come to more than 67508");
  CHECK(json_cost_problem(list("1E999", 36'000)) ==
        "numbers whose exponents come to more than 929548");
  CHECK(json_cost_problem(list("\"1e-999\"", 36'000)).empty());
  const std::string long_text = "\"" + std::string(20 << 20, 'x') + "\"";
  CHECK(json_cost_problem("[" + long_text + "," + list("1e-999", 4'000) + "]").empty());
  CHECK(json_cost_problem("[" + long_text + "," + list("1e-999", 4'300) + "]") ==
        "numbers whose exponents come to more than 4194304");
}

TEST_CASE("exponents are summed up in whatever pieces they come") {
  const std::string_view text = R"([1e-05,{"a1e9":"2e8"},3E+120,4.5e7,true,1e])";
  JsonMeasure whole;
  whole.add(text);
  JsonMeasure pieces;
  for (size_t at = 0; at < text.size(); ++at) pieces.add(text.substr(at, 1));
  CHECK(whole.exponents() == 5 + 120 + 7);
  CHECK(pieces.exponents() == whole.exponents());
}

}  // namespace sluice
