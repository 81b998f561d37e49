#include "db/mend.h"

#include <pqxx/pqxx>

namespace sluice {
namespace {

// As many as a few thousand models have; what is left then comes back faster than it is mended.
constexpr int rounds_max = 100;

}  // namespace

Mending mend_sequences(pqxx::connection& connection, const std::string& first, int* mended) try {
  for (int round = 0; round < rounds_max; ++round) {
    pqxx::work transaction(connection);
    if (!first.empty()) transaction.exec0(first);
    // Null: there is no such function.
    const auto may = transaction.exec1(
        "select has_function_privilege(to_regprocedure('sluice.mend_sequences()'), 'execute')");
    if (!may[0].as<bool>(false)) return Mending::may_not;
    const auto row = transaction.exec1("select mended, locked from sluice.mend_sequences()");
    transaction.commit();
    if (mended != nullptr) *mended += row[0].as<int>();
    if (row[1].as<int>() > 0) return Mending::left_some;
    if (row[0].as<int>() == 0) return Mending::done;
  }
  return Mending::left_some;
} catch (const pqxx::sql_error& error) {
  constexpr std::string_view lock_not_available = "55P03";  // others are at it
  if (error.sqlstate() == lock_not_available) return Mending::left_some;
  throw;
}

}  // namespace sluice
