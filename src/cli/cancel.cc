#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "cli/database_session.h"
#include "command_error.h"

namespace sluice {
namespace {

struct CancelOptions {
  std::optional<int64_t> id;
  bool all = false;
  // Conditions of --all; PostgreSQL judges their values.
  std::optional<std::string> model;
  std::optional<std::string> tenant;
  std::optional<std::string> metadata;
  std::optional<int64_t> batch_id;
};

void check_usage(const CancelOptions& options) {
  if (options.all == options.id.has_value()) {
    throw CommandError(ExitCode::usage, "cancel needs either ID or --all");
  }
  const bool filtered = options.model || options.tenant || options.metadata || options.batch_id;
  if (options.all != filtered) {
    throw CommandError(ExitCode::usage,
                       "cancel --all goes with at least one of --model, --tenant, --metadata and "
                       "--batch-id, and these with --all");
  }
}

// One line: the status afterwards of one task, the number of all.
ExitCode cancel(pqxx::connection& connection, const CancelOptions& options) {
  pqxx::work transaction(connection);
  const pqxx::row answer =
      options.all ? transaction.exec_params1(
                        "select sluice.cancel_all($1::text, $2::text, $3::jsonb, $4::bigint)",
                        options.model, options.tenant, options.metadata, options.batch_id)
                  : transaction.exec_params1("select sluice.cancel($1::bigint)", *options.id);
  transaction.commit();
  fmt::print("{}\n", answer[0].c_str());
  return ExitCode::ok;
}

}  // namespace

Action configure_cancel(CLI::App& app) {
  const auto options = std::make_shared<CancelOptions>();
  app.add_option("id", options->id, "the task; its status afterwards is printed")
      ->option_text("ID");
  app.add_flag("--all", options->all,
               "every unfinished task that meets all of these; prints how many");
  app.add_option("--model", options->model, "with this model, or of this route")
      ->option_text("MODEL");
  app.add_option("--tenant", options->tenant, "of this tenant")->option_text("TENANT");
  app.add_option("--metadata", options->metadata, "whose metadata contains this object")
      ->option_text("JSON");
  app.add_option("--batch-id", options->batch_id, "of this batch")->option_text("N");
  return [options](const GlobalOptions& globals) {
    check_usage(*options);
    return with_database(globals,
                         [&](pqxx::connection& database) { return cancel(database, *options); });
  };
}

}  // namespace sluice
