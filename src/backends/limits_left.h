// Reads from a backend's headers what is left of its limits. This may lower our buckets and never
// raises them. Pure; figures that make no sense are ignored.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/http_fields.h"

namespace sluice {

struct LimitsLeft {
  std::optional<int64_t> requests;
  std::optional<int64_t> tokens;
  bool empty() const { return !requests && !tokens; }
};

// From x-ratelimit-remaining-… and anthropic-ratelimit-…-remaining. No evidence: absent, negative
// (Azure's -1), no number, or a limit of 0. Half of a limit or more is no news: our buckets hold
// less.
LimitsLeft limits_left(const HttpFields& headers);

}  // namespace sluice
