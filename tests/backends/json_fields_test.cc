#include "backends/json_fields.h"

#include <doctest/doctest.h>

#include <string>

namespace sluice {

namespace {

std::string read_again(const std::string& text) {
  JsonReader reader;
  const auto root = reader.read(text);
  return root ? simdjson::to_string(*root) : "no JSON";
}

}  // namespace

TEST_CASE("an integer that 64 bits do not hold is a floating-point number") {
  CHECK(read_again(R"({"a":123456789012345678901234,"b":"c"})") ==
        R"({"a":1.2345678901234569e+23,"b":"c"})");
  CHECK(read_again("[-99999999999999999999,18446744073709551616]") ==
        "[-1e+20,1.8446744073709552e+19]");
  CHECK(read_again(std::string(200, '7')) == "7.777777777777778e+199");
}

TEST_CASE("what 64 bits hold, and texts, stay as they are beside one") {
  CHECK(read_again(R"([100000000000000000000,922337203685477580,-1,0.5,1e3])") ==
        R"([1e+20,922337203685477580,-1,0.5,1000.0])");
  const std::string texts = R"("12345678901234567890123","\"12345678901234567890123","\\")";
  CHECK(read_again("[100000000000000000000," + texts + "]") == "[1e+20," + texts + "]");
}

TEST_CASE("without one, integers of 64 bits are exact") {
  CHECK(read_again("[9223372036854775807,18446744073709551615,-9223372036854775808]") ==
        "[9223372036854775807,18446744073709551615,-9223372036854775808]");
}

TEST_CASE("numbers that are none stay none") {
  for (const char* text :
       {"01234567890123456789012", "[1.]", "1e400", "-", "[12345678901234567890123",
        R"({"a":100000000000000000000,"b":"\)", "100000000000000000000x"}) {
    CAPTURE(text);
    CHECK(read_again(text) == "no JSON");
  }
}

}  // namespace sluice
