// Runs the checks of checks.h on one installation, in their order, each within its time.
//
// Blocking; throws what libpqxx and connect() throw.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "doctor/finding.h"
#include "doctor/mechanisms.h"
#include "doctor/provider.h"
#include "worker/secrets.h"

namespace sluice {

// Of one check: a busy server's slowest look, of those that walk the queue of notifications, takes
// a second or two.
inline constexpr int64_t check_timeout_ms_default = 10'000;
// How long a notification is waited for. Idle workers of a healthy server are woken within 10 ms.
inline constexpr int64_t notification_wait_ms = 2'000;

struct ExamineRequest {
  std::string database_url;
  std::string direct_url;
  SecretBounds secrets;
  int64_t check_timeout_ms = check_timeout_ms_default;
};

struct Examination {
  Findings findings;
  ServerFacts server;
  PoolerMode pooler = PoolerMode::none;  // of database_url
  PoolerMode direct = PoolerMode::none;  // of direct_url
  std::vector<Mechanism> mechanisms;
};

// `connection` was made with request.database_url.
Examination examine(pqxx::connection& connection, const ExamineRequest& request);

}  // namespace sluice
