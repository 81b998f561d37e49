// Strangers are logins that may connect to the database only because everybody may. Advisory locks
// ask for no more than a connection: a stranger can stop the queues with those of Sluice.
//
// Blocking; these throw what libpqxx throws. They read the catalog alone.
#pragma once

#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace sluice {

// The statements that keep strangers out; empty: PUBLIC may not connect.
std::string statements_against_strangers(pqxx::connection& connection);

// The strangers' names, at most 20.
std::vector<std::string> strangers(pqxx::connection& connection);

}  // namespace sluice
