#include "runtime/pg_array.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("array literals hold numbers, booleans and nulls") {
  PgArray array;
  array.add(int64_t{-7});
  array.add(std::optional<bool>(true));
  array.add_null();
  CHECK(array.text() == "{-7,t,NULL}");
  CHECK(int_array("{3,14,159}") == std::vector<int>{3, 14, 159});
  CHECK(int_array("{}").empty());
}

}  // namespace sluice
