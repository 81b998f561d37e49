#include "cli/standby.h"

namespace sluice {

bool is_standby(pqxx::nontransaction& session) {
  return session.exec1("select pg_is_in_recovery()")[0].as<bool>();
}

}  // namespace sluice
