#include <fmt/format.h>

#include <memory>
#include <pqxx/pqxx>

#include "cli/bulk.h"
#include "cli/database_session.h"

namespace sluice {
namespace {

// In steps that SQL bounds, each a transaction: what was forgotten stays so if it is broken off.
int64_t forget_all(pqxx::connection& connection, const BulkOptions& options) {
  const BulkArguments arguments = bulk_arguments(connection, options);
  int64_t forgotten = 0;
  while (const int64_t step = call_bulk(connection, "forget_all", arguments)) forgotten += step;
  return forgotten;
}

// One line: the id of one task, the number of all.
ExitCode forget(pqxx::connection& connection, const BulkOptions& options) {
  if (options.all) {
    fmt::print("{}\n", forget_all(connection, options));
  } else {
    call_one(connection, "forget", *options.id);
    fmt::print("{}\n", *options.id);
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_forget(CommandSyntax syntax) {
  const auto options = std::make_shared<BulkOptions>();
  add_bulk_flags(syntax, *options, "a finished task; its id is printed",
                 "every finished task that meets all of these; prints how many", "finished");
  return [options](const GlobalOptions& globals) {
    check_bulk_usage(*options, "forget");
    return with_database(globals,
                         [&](pqxx::connection& database) { return forget(database, *options); });
  };
}

}  // namespace sluice
