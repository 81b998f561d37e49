#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "api/api_key.h"
#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "command_error.h"

namespace sluice {
namespace {

struct KeyOptions {
  std::string name;
  std::string tenant;
  std::vector<std::string> scopes = {"submit", "read"};
  std::string id;
  bool json = false;
};

void create(pqxx::work& transaction, const KeyOptions& options) {
  const NewKey key = make_key();
  transaction.exec_params(
      "select sluice.create_key($1, decode($2, 'hex'), $3, nullif($4, ''), string_to_array($5, "
      "','))",
      key.id, key.sha256, options.name, options.tenant,
      fmt::format("{}", fmt::join(options.scopes, ",")));
  transaction.commit();
  fmt::print("{}\n", key.text);
  if (std::fflush(stdout) != 0) {
    throw CommandError(ExitCode::failure,
                       fmt::format("standard output takes no more: nobody has seen the key that is "
                                   "in force now; sluice key revoke {} ends it",
                                   key.id));
  }
  fmt::print(stderr, "# key {}; it is shown this once: only its hash is stored\n", key.id);
}

void list(pqxx::work& transaction, bool json) {
  if (json) {
    print_json_rows(transaction.exec(
        "select to_jsonb(k) - 'sha256' from sluice.api_key k order by created_at, id"));
    return;
  }
  using Kind = Table::Kind;
  Table table({{"ID"},
               {"NAME", Kind::elastic},
               {"TENANT"},
               {"SCOPES", Kind::whole},
               {"CREATED"},
               {"REVOKED"}});
  print_rows(
      table,
      transaction.exec(
          "select id, name, coalesce(tenant, '-'), array_to_string(scopes, ','),"
          " to_char(created_at, 'YYYY-MM-DD'), coalesce(to_char(revoked_at, 'YYYY-MM-DD'), '-')"
          " from sluice.api_key order by created_at, id"));
}

void revoke(pqxx::work& transaction, const std::string& id) {
  const bool was_in_force =
      transaction.exec_params1("select sluice.revoke_key($1)", id)[0].as<bool>();
  if (!was_in_force) {
    throw CommandError(
        ExitCode::failure,
        fmt::format("no key in force has the ID \"{}\" (sluice key ls lists them)", id));
  }
  transaction.commit();
}

}  // namespace

Action configure_key(CommandSyntax syntax) {
  const auto options = std::make_shared<KeyOptions>();
  syntax.require_subcommand();
  const CommandSyntax make = syntax.add_subcommand("create", "Make a key and print it, once");
  make.add_option("name", options->name, "what it is for, for people")
      .required()
      .option_text("NAME");
  make.add_option("--tenant", options->tenant,
                  "it sees and submits this tenant's tasks alone [every tenant's]")
      .option_text("T");
  make.add_option("--scope", options->scopes,
                  "submit (tasks: submit, cancel, redrive), read, or admin (all of it, and the "
                  "configuration)")
      .delimiter(',')
      .one_of({"submit", "read", "admin"})
      .option_text("A,B [submit,read]");
  const CommandSyntax ls =
      syntax.add_subcommand("ls", "All keys, revoked ones too; never the keys themselves");
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax end =
      syntax.add_subcommand("revoke", "End a key; servers follow within a second");
  end.add_option("id", options->id, "as key ls shows it").required().option_text("ID");
  return [options, make, ls](const GlobalOptions& globals) {
    return with_database(globals, [&](pqxx::connection& database) {
      pqxx::work transaction(database);
      if (make.parsed()) {
        create(transaction, *options);
      } else if (ls.parsed()) {
        list(transaction, options->json);
      } else {
        revoke(transaction, options->id);
      }
      return ExitCode::ok;
    });
  };
}

}  // namespace sluice
