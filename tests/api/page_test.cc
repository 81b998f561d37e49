#include "api/page.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("arguments become an object of strings, without those that are empty") {
  CHECK(arguments_json({}) == "{}");
  CHECK(arguments_json({{"status", "failed"}, {"model", ""}, {"limit", "5"}}) ==
        R"({"status":"failed","limit":"5"})");
  CHECK(arguments_json({{"a\"b", "\n\\"}}) == R"({"a\"b":"\n\\"})");
}

TEST_CASE("an argument that is not known is named, and those that are known") {
  const HttpFields query = {{"limit", "1"}, {"colour", "red"}};
  constexpr std::string_view known[] = {"limit", "colour"};
  CHECK_FALSE(unknown_argument(query, known));
  const auto problem = unknown_argument(query, std::span(known).first(1));
  REQUIRE(problem);
  CHECK(problem->body.find(R"(unknown argument \"colour\"","hint":"The arguments are: limit.")") !=
        std::string::npos);
}

TEST_CASE("a page has its bounds, and those of its kind") {
  CHECK_FALSE(page_problem({}, pages_after, {}));
  CHECK_FALSE(page_problem({{"limit", "100"}, {"after", "x"}}, pages_after, {}));
  CHECK(page_problem({{"limit", "101"}}, pages_after, {}));
  CHECK_FALSE(page_problem({{"limit", "200"}, {"before", "7"}}, pages_before, {}));
  CHECK(page_problem({{"before", "x"}}, pages_before, {}));
  CHECK(page_problem({{"after", "7"}}, pages_before, {}));
  CHECK(page_limit({}, pages_before) == "50");
  CHECK(page_limit({{"limit", "7"}}, pages_before) == "7");
}

}  // namespace sluice
