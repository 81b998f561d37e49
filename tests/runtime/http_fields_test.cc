#include "runtime/http_fields.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("texts are compared in any case, of ASCII alone") {
  CHECK(is_in_any_case("Content-TYPE", "content-type"));
  CHECK(is_in_any_case("", ""));
  CHECK_FALSE(is_in_any_case("content-typ", "content-type"));
  CHECK_FALSE(is_in_any_case("content-types", "content-type"));
  CHECK_FALSE(is_in_any_case("\xC4", "\xE4"));
  CHECK(begins_in_any_case("Bearer x", "bearer "));
  CHECK_FALSE(begins_in_any_case("Bear", "bearer "));
  CHECK(to_lower("AZaz@[09\xC4") == "azaz@[09\xC4");
}

TEST_CASE("a token has letters, digits and fifteen signs") {
  int count = 0;
  for (int c = 0; c < 256; ++c) count += is_token_char(static_cast<char>(c)) ? 1 : 0;
  CHECK(count == 26 + 26 + 10 + 15);
  for (const char c : {' ', '\t', ':', '\0', '"', '/', '\x7F', '\x80'}) CHECK(!is_token_char(c));
}

}  // namespace sluice
