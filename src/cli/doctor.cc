#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <pqxx/pqxx>

#include "cli/database_session.h"
#include "cli/secret_flags.h"
#include "cli/terminal.h"
#include "command_error.h"
#include "db/database_url.h"
#include "db/migrate.h"
#include "db/roles.h"
#include "doctor/checks.h"
#include "json_text.h"

namespace sluice {
namespace {

struct DoctorOptions {
  bool json = false;
  SecretBounds secrets;
};

void append(Findings& findings, Findings more) {
  for (Finding& finding : more) findings.push_back(std::move(finding));
}

Findings findings_of(pqxx::connection& connection, const SecretBounds& secrets,
                     const std::string& direct_url) {
  Findings findings;
  append(findings, check_pooler(connection, *connect(direct_url)));
  append(findings, check_clock(connection));
  append(findings, check_snapshots(connection));
  append(findings, check_notifications(connection));
  append(findings, check_roles(connection));
  const Findings drift = check_schema_drift(connection, embedded_sql());
  append(findings, drift);
  if (!drift.empty()) return findings;  // the other checks speak this binary's schema
  const Findings damage = check_sequences(connection);
  append(findings, damage);
  if (!damage.empty()) return findings;  // the other checks would meet it
  append(findings, check_autovacuum(connection));
  append(findings, check_tenant_roles(connection));
  append(findings, check_strangers(connection));
  append(findings, check_secrets(connection, secrets));
  append(findings, check_backends(connection));
  append(findings, check_queues(connection));
  append(findings, check_failures(connection));
  return findings;
}

void print(const Finding& finding, bool json) {
  if (json) {
    print_json(fmt::format("{{\"check\":{},\"finding\":{},\"way_out\":{}}}",
                           json_string(finding.check), json_string(finding.what),
                           json_string(finding.way_out)));
  } else {
    // One line: reasons may come from a backend.
    fmt::print(
        "{}\n",
        harmless(fmt::format("{}: {}; {}", finding.check, finding.what, finding.way_out), false));
  }
}

ExitCode examine(pqxx::connection& connection, const DoctorOptions& options,
                 const GlobalOptions& globals) {
  try {
    const Findings findings = findings_of(connection, options.secrets, globals.direct_url);
    for (const Finding& finding : findings) print(finding, options.json);
    if (findings.empty() && !options.json) fmt::print("no findings\n");
    std::fflush(stdout);
    return findings.empty() ? ExitCode::ok : ExitCode::failure;
  } catch (const pqxx::insufficient_privilege&) {
    const std::string prefix = role_prefix_of(connection).value_or("");
    throw CommandError(ExitCode::failure,
                       fmt::format("doctor looks at the whole configuration: run it as {}",
                                   prefix.empty() ? "the schema's owner"
                                                  : fmt::format("a member of {}_admin", prefix)));
  }
}

}  // namespace

Action configure_doctor(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  app.add_flag("--json", options->json, "one JSON object a line, one per finding");
  add_secret_flags(app, options->secrets);
  return [options](const GlobalOptions& globals) {
    return with_connection(
        globals, [&](pqxx::connection& database) { return examine(database, *options, globals); });
  };
}

}  // namespace sluice
