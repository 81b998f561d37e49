#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "cli/database_session.h"
#include "cli/terminal.h"
#include "command_error.h"

namespace sluice {
namespace {

// Longer texts are cut, unless --json asks for all of it: a screen full is enough to recognize one.
constexpr int text_characters_max = 2'000;

constexpr std::array texts = {"prompt", "request", "answer", "response", "error"};

constexpr const char* task_sql = R"(
  select id, status, route, model, tenant, priority, attempts, error_code, input_tokens, output_tokens, cost,
    batch_id, created_at, run_at, deadline, queued_at, started_at, finished_at, metadata,
    left(prompt, $2::int) as prompt, octet_length(prompt) as prompt_bytes,
    left(request, $2::int) as request, octet_length(request) as request_bytes,
    left(answer, $2::int) as answer, octet_length(answer) as answer_bytes,
    left(response, $2::int) as response, octet_length(response) as response_bytes,
    left(error, $2::int) as error, octet_length(error) as error_bytes
  from sluice.task($1::bigint))";

struct TaskOptions {
  int64_t id = 0;
  bool json = false;
};

void print_text(const pqxx::row& row, const std::string& name) {
  if (row[name].is_null()) return;
  const auto shown = row[name].as<std::string>();
  const auto bytes = row[name + "_bytes"].as<size_t>();
  fmt::print("\n{} ({} bytes)\n{}\n", name, bytes, harmless(shown, true));
  if (shown.size() < bytes) {
    fmt::print("... {} more bytes; --json shows all\n", bytes - shown.size());
  }
}

void print_fields(const pqxx::row& row) {
  for (const pqxx::field& field : row) {
    if (std::string_view(field.name()) == texts.front()) break;  // the texts come last
    if (!field.is_null()) fmt::print("{:<14}{}\n", field.name(), harmless(field.c_str(), false));
  }
  for (const char* name : texts) print_text(row, name);
}

ExitCode show(pqxx::connection& connection, const TaskOptions& options) {
  pqxx::nontransaction session(connection);
  const pqxx::result found =
      options.json
          ? session.exec_params("select row_to_json(t) from sluice.task($1::bigint) t", options.id)
          : session.exec_params(task_sql, options.id, text_characters_max);
  if (found.empty()) {
    throw CommandError(
        ExitCode::failure,
        fmt::format("there is no task {} (sluice tasks lists the newest)", options.id));
  }
  if (options.json) {
    fmt::print("{}\n", found[0][0].c_str());
  } else {
    print_fields(found[0]);
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_task(CLI::App& app) {
  const auto options = std::make_shared<TaskOptions>();
  app.add_option("id", options->id, "the number that submit printed")
      ->required()
      ->option_text("ID");
  app.add_flag("--json", options->json, "as one JSON object, with the whole texts");
  return [options](const GlobalOptions& globals) {
    return with_database(globals,
                         [&](pqxx::connection& database) { return show(database, *options); });
  };
}

}  // namespace sluice
