#include "db/served_schema.h"

#include <fmt/format.h>

namespace sluice {

std::string schema_mismatch(const SchemaFacts& facts, const SchemaRange& known) {
  const bool is_known = facts.version >= known.oldest && facts.version <= known.newest;
  const bool serves_us =
      facts.version > known.newest && facts.serves_from && *facts.serves_from <= known.newest;
  if (is_known || serves_us) return {};
  const std::string served = known.oldest == known.newest
                                 ? fmt::format("{}", known.newest)
                                 : fmt::format("{} to {}", known.oldest, known.newest);
  if (facts.version == 0) {
    return fmt::format(
        "the database has no Sluice schema; this binary knows version {}: run "
        "sluice migrate",
        served);
  }
  if (facts.version < known.oldest) {
    return fmt::format(
        "the database's schema is at version {}; this binary knows {}: run sluice "
        "migrate",
        facts.version, served);
  }
  return fmt::format(
      "the database's schema is at version {}{}; this binary knows {}: use a newer "
      "sluice",
      facts.version,
      facts.serves_from ? fmt::format(", which serves binaries from {} on", *facts.serves_from)
                        : "",
      served);
}

}  // namespace sluice
