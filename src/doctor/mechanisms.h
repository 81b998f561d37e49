// What Sluice needs of PostgreSQL beside tables, and how each of it fares on one server, as it was
// tried and as the provider documents it. Pure: trials.h tries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.h"
#include "doctor/provider.h"

namespace sluice {

enum class Verdict { works, differs, fails, unknown };
std::string_view name_of(Verdict verdict);

struct Mechanism {
  std::string name;  // one of: advisory locks, wake-ups, setval, unlogged sequences, writes, …
  Verdict verdict = Verdict::unknown;
  std::string why;
};

// nullopt: not tried.
struct Trials {
  std::optional<bool> locks_are_kept;  // a session's advisory lock keeps another session out
  std::optional<bool> was_notified;    // a notification came
  std::optional<double> notified_ms;   // after so long
  std::optional<bool> setval_is_kept;  // beyond a rollback
  int64_t wait_ms = 0;                 // how long a notification was waited for
};

// `direct`: of the connection that --direct-url names, for locks and LISTEN.
std::vector<Mechanism> mechanisms_of(const ServerFacts& facts, PoolerMode direct,
                                     const Trials& trials);

// `address`: the pooler that the address tells of (pooler_at), or empty.
Findings judge_pooler(PoolerMode direct, std::string_view address);

// Those that fail, and a server that Sluice cannot be on.
Findings judge_mechanisms(const ServerFacts& facts, const std::vector<Mechanism>& mechanisms);

}  // namespace sluice
