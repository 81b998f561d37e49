// Whether a command reads from a hot standby, which cannot know everything.
#pragma once

#include <pqxx/pqxx>

namespace sluice {

bool is_standby(pqxx::nontransaction& session);

}  // namespace sluice
