#include "db/served_schema.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

bool works(SchemaFacts facts) {
  return schema_mismatch(facts, {.oldest = 91, .newest = 91}).empty();
}

}  // namespace

TEST_CASE("a binary works with its own schema, and with a newer one that says it serves it") {
  CHECK(works({91, std::nullopt}));
  CHECK(works({91, 91}));
  CHECK(works({95, 91}));
  CHECK(works({95, 90}));
}

TEST_CASE("a binary refuses no schema, an older one, and a newer one that does not serve it") {
  CHECK_FALSE(works({}));
  CHECK_FALSE(works({90, 80}));
  CHECK_FALSE(works({95, std::nullopt}));
  CHECK_FALSE(works({95, 92}));
}

TEST_CASE("a mismatch says both versions and the way out") {
  const SchemaRange known{.oldest = 90, .newest = 91};
  CHECK(
      schema_mismatch({}, known) ==
      "the database has no Sluice schema; this binary knows version 90 to 91: run sluice migrate");
  CHECK(schema_mismatch({87, std::nullopt}, known) ==
        "the database's schema is at version 87; this binary knows 90 to 91: run sluice migrate");
  CHECK(schema_mismatch({99, 95}, {.oldest = 91, .newest = 91}) ==
        "the database's schema is at version 99, which serves binaries from 95 on; this binary "
        "knows 91: use a newer sluice");
}

}  // namespace sluice
