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

struct RedriveOptions {
  std::optional<int64_t> id;
  bool all = false;
  // Conditions of --all.
  std::optional<std::string> model;
  std::optional<std::string> error_like;
};

void check_usage(const RedriveOptions& options) {
  if (options.all == options.id.has_value()) {
    throw CommandError(ExitCode::usage, "redrive needs either ID or --all");
  }
  if (options.id && (options.model || options.error_like)) {
    throw CommandError(ExitCode::usage, "--model and --error-like go with --all");
  }
}

// One line: the id of one task, the number of all.
ExitCode redrive(pqxx::connection& connection, const RedriveOptions& options) {
  pqxx::work transaction(connection);
  const pqxx::row answer =
      options.all ? transaction.exec_params1("select sluice.redrive_all($1::text, $2::text)",
                                             options.model, options.error_like)
                  : transaction.exec_params1("select sluice.redrive($1::bigint)", *options.id);
  transaction.commit();
  fmt::print("{}\n", answer[0].c_str());
  return ExitCode::ok;
}

}  // namespace

Action configure_redrive(CLI::App& app) {
  const auto options = std::make_shared<RedriveOptions>();
  app.add_option("id", options->id,
                 "a task that failed, expired or was cancelled; its id is printed")
      ->option_text("ID");
  app.add_flag("--all", options->all, "every dead letter that meets all of these; prints how many");
  app.add_option("--model", options->model, "of this model or route")->option_text("MODEL");
  app.add_option("--error-like", options->error_like,
                 "whose error is LIKE this pattern, such as 'HTTP 400%'")
      ->option_text("PATTERN");
  return [options](const GlobalOptions& globals) {
    check_usage(*options);
    return with_database(globals,
                         [&](pqxx::connection& database) { return redrive(database, *options); });
  };
}

}  // namespace sluice
