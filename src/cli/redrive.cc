#include <fmt/format.h>

#include <memory>
#include <pqxx/pqxx>

#include "cli/bulk.h"
#include "cli/database_session.h"
#include "cli/terminal.h"

namespace sluice {
namespace {

// One line: the id of one task, the number of all.
ExitCode redrive(pqxx::connection& connection, const BulkOptions& options) {
  if (options.all) {
    fmt::print("{}\n", call_bulk(connection, "redrive_all", bulk_arguments(connection, options)));
  } else {
    print_line(call_one(connection, "redrive", *options.id));
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_redrive(CommandSyntax syntax) {
  const auto options = std::make_shared<BulkOptions>();
  add_bulk_flags(syntax, *options,
                 "a task that failed, expired or was cancelled; its id is printed",
                 "every dead letter that meets all of these; prints how many", "failed");
  add_error_flags(syntax, *options);
  return [options](const GlobalOptions& globals) {
    check_bulk_usage(*options, "redrive");
    return with_database(globals,
                         [&](pqxx::connection& database) { return redrive(database, *options); });
  };
}

}  // namespace sluice
