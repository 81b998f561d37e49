// Reads who the server is, and tries out what Sluice needs of it: on the connections themselves,
// not by what anybody documents. Nothing stays behind.
//
// Blocking; they throw what libpqxx throws. None needs Sluice's schema.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <string>

#include "doctor/mechanisms.h"
#include "doctor/provider.h"

namespace sluice {

// What cannot be read is left empty.
ServerFacts server_facts(pqxx::connection& connection);

// How the pooler behind `connection`, which was made with `url`, shares its servers: a connection
// that is between two transactions has none of its own in transaction mode, so that another one may
// get it. Opens up to three connections.
PoolerMode pooler_mode(pqxx::connection& connection, const std::string& url, int64_t timeout_ms);

// `direct` listens and keeps locks, `connection` notifies and tries them.
Trials try_mechanisms(pqxx::connection& connection, pqxx::connection& direct, PoolerMode mode,
                      int64_t wait_ms);

}  // namespace sluice
