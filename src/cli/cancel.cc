#include <fmt/format.h>

#include <memory>
#include <pqxx/pqxx>

#include "cli/bulk.h"
#include "cli/database_session.h"
#include "cli/terminal.h"

namespace sluice {
namespace {

// One line: the status afterwards of one task, the number of all.
ExitCode cancel(pqxx::connection& connection, const BulkOptions& options) {
  if (options.all) {
    fmt::print("{}\n", call_bulk(connection, "cancel_all", bulk_arguments(connection, options)));
  } else {
    print_line(call_one(connection, "cancel", *options.id));
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_cancel(CommandSyntax syntax) {
  const auto options = std::make_shared<BulkOptions>();
  add_bulk_flags(syntax, *options, "the task; its status afterwards is printed",
                 "every unfinished task that meets all of these; prints how many", "submitted");
  return [options](const GlobalOptions& globals) {
    check_bulk_usage(*options, "cancel");
    return with_database(globals,
                         [&](pqxx::connection& database) { return cancel(database, *options); });
  };
}

}  // namespace sluice
