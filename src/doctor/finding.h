// A finding is something about an installation that will hurt: one line for people, with the way
// out. It does not say how it was found; checks.h does.
#pragma once

#include <string>
#include <vector>

namespace sluice {

struct Finding {
  std::string check;  // one word, for scripts: pooler, schema, roles, snapshots …
  std::string what;
  std::string way_out;
};
using Findings = std::vector<Finding>;

}  // namespace sluice
