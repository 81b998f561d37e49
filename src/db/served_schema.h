// Which schemas a binary works with. It knows those up to its own version; a newer one, of the next
// release, says itself which binaries it still serves (docs/operations/rolling_upgrade.md).
// Commands, workers and servers judge the answer with the same function.
#pragma once

#include <optional>
#include <string>

namespace sluice {

// The schema versions that a binary knows and works with.
struct SchemaRange {
  int oldest = 0;
  int newest = 0;
};

// What a database says of its schema.
struct SchemaFacts {
  int version = 0;                 // 0: there is none
  std::optional<int> serves_from;  // it serves binaries of this version and newer ones
};

// One row, SchemaFacts, or none. Runs on every schema: it names no column that is younger than the
// table.
inline constexpr const char* schema_facts_sql =
    "select version, (to_jsonb(m) ->> 'serves_from')::int from sluice.migration m"
    " order by version desc limit 1";

// Why a binary that knows `known` does not work with such a schema, and the way out; empty: it
// does.
std::string schema_mismatch(const SchemaFacts& facts, const SchemaRange& known);

}  // namespace sluice
