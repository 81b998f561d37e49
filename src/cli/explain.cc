
#include <memory>
#include <pqxx/pqxx>

#include "cli/database_session.h"
#include "cli/syntax.h"
#include "cli/terminal.h"

namespace sluice {
namespace {

struct ExplainOptions {
  int64_t id = 0;
  bool json = false;
};

ExitCode explain(pqxx::connection& connection, const ExplainOptions& options) {
  pqxx::nontransaction session(connection);
  const pqxx::row found = session.exec_params1(
      "select explanation, row_to_json(e) as object"
      " from (select $1::bigint as id, sluice.explain($1::bigint) as explanation) e",
      options.id);
  if (options.json) {
    print_json(found["object"].c_str());
  } else {
    print_paragraph(found["explanation"].c_str());
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_explain(CommandSyntax syntax) {
  const auto options = std::make_shared<ExplainOptions>();
  syntax.add_option("id", options->id, "the number that submit printed")
      .required()
      .option_text("ID");
  syntax.add_flag("--json", options->json, "as one JSON object");
  return database_action(options, explain);
}

}  // namespace sluice
