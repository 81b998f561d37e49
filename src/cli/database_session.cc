#include "cli/database_session.h"

#include <fmt/format.h>

#include <pqxx/pqxx>

#include "command_error.h"
#include "db/mend.h"
#include "db/migrate.h"
#include "db/roles.h"
#include "db/sql_message.h"

namespace sluice {
namespace {

std::string right_lacks(const pqxx::insufficient_privilege& error, pqxx::connection& connection) {
  const std::string text = one_line(parse_sql_message(error.what()));
  const std::string prefix = role_prefix_of(connection).value_or("");
  if (prefix.empty()) return text + " (the schema's owner alone may)";
  return fmt::format(
      "{} ({}_submitter submits, {}_reader sees queues and workers, {}_admin may do everything)",
      text, prefix, prefix, prefix);
}

}  // namespace

void with_errors_in_words(const std::function<void()>& work) {
  try {
    work();
  } catch (const pqxx::in_doubt_error&) {
    throw CommandError(ExitCode::database_unreachable,
                       "the connection broke during COMMIT: whether it took effect is unknown");
  } catch (const pqxx::broken_connection&) {
    throw CommandError(ExitCode::database_unreachable, "the connection to the database broke");
  } catch (const pqxx::sql_error& error) {
    // A server that shuts down says so with an error of class 57P; the connection is gone then too.
    const ExitCode code =
        error.sqlstate().starts_with("57P") ? ExitCode::database_unreachable : ExitCode::failure;
    throw CommandError(code, one_line(parse_sql_message(error.what())));
  }
}

ExitCode with_connection(const GlobalOptions& globals,
                         const std::function<ExitCode(pqxx::connection&)>& work) {
  const auto connection = connect(globals.database_url);
  ExitCode code = ExitCode::ok;
  with_errors_in_words([&] {
    try {
      code = work(*connection);
    } catch (const pqxx::insufficient_privilege& error) {
      throw CommandError(ExitCode::failure, right_lacks(error, *connection));
    }
  });
  return code;
}

ExitCode with_database(const GlobalOptions& globals,
                       const std::function<ExitCode(pqxx::connection&)>& work) {
  return with_connection(globals, [&work](pqxx::connection& connection) {
    check_schema(connection, embedded_sql());
    mend_sequences(connection);
    return work(connection);
  });
}

ExitCode in_transaction(const GlobalOptions& globals,
                        const std::function<void(pqxx::work&)>& work) {
  return with_database(globals, [&work](pqxx::connection& connection) {
    pqxx::work transaction(connection);
    work(transaction);
    transaction.commit();
    return ExitCode::ok;
  });
}

}  // namespace sluice
