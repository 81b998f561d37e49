#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <pqxx/pqxx>

#include "cli/database_session.h"

namespace sluice {
namespace {

ExitCode cancel(pqxx::connection& connection, int64_t id) {
  pqxx::work transaction(connection);
  const pqxx::row status = transaction.exec_params1("select sluice.cancel($1::bigint)", id);
  transaction.commit();
  fmt::print("{}\n", status[0].c_str());
  return ExitCode::ok;
}

}  // namespace

Action configure_cancel(CLI::App& app) {
  const auto id = std::make_shared<int64_t>(0);
  app.add_option("id", *id, "the task; its status afterwards is printed")
      ->required()
      ->option_text("ID");
  return [id](const GlobalOptions& globals) {
    return with_database(globals,
                         [&](pqxx::connection& database) { return cancel(database, *id); });
  };
}

}  // namespace sluice
