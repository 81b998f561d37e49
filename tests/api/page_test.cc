#include "api/page.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("arguments become an object of strings, without those that are empty") {
  CHECK(arguments_json({}) == "{}");
  CHECK(arguments_json({{"status", "failed"}, {"model", ""}, {"limit", "5"}}) ==
        R"({"status":"failed","limit":"5"})");
  CHECK(arguments_json({{"a\"b", "\n\\"}}) == R"({"a\"b":"\n\\"})");
}

}  // namespace sluice
