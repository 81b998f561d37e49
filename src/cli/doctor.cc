#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <pqxx/pqxx>

#include "cli/database_session.h"
#include "cli/secret_flags.h"
#include "cli/syntax.h"
#include "cli/terminal.h"
#include "command_error.h"
#include "db/roles.h"
#include "doctor/examine.h"
#include "duration.h"
#include "json_text.h"

namespace sluice {
namespace {

struct DoctorOptions {
  bool json = false;
  bool mechanisms = false;
  std::string check_timeout = "10s";
  SecretBounds secrets;
};

void print(const Finding& finding, bool json) {
  if (json) {
    print_json(fmt::format("{{\"check\":{},\"finding\":{},\"way_out\":{}}}",
                           json_string(finding.check), json_string(finding.what),
                           json_string(finding.way_out)));
  } else {
    // One paragraph: reasons may come from a backend.
    print_paragraph(fmt::format("{}: {}; {}", finding.check, finding.what, finding.way_out));
  }
}

std::string_view mode_name(PoolerMode mode) {
  switch (mode) {
    case PoolerMode::none:
      return "none";
    case PoolerMode::session:
      return "session";
    case PoolerMode::transaction:
      break;
  }
  return "transaction";
}

std::string way_to(const Examination& examined) {
  if (examined.pooler == PoolerMode::none) return "reached directly";
  const std::string pooled = fmt::format("through a pooler in {} mode", mode_name(examined.pooler));
  return examined.direct == PoolerMode::none ? pooled + "; --direct-url goes past it" : pooled;
}

// Which server this is, and how each mechanism fares there.
void print_server(const Examination& examined, bool json) {
  const std::string_view provider = name_of(provider_of(examined.server));
  const int major = examined.server.version_number / 10'000;
  if (json) {
    print_json(fmt::format(
        "{{\"server\":{},\"provider\":{},\"pooler\":\"{}\",\"direct_pooler\":\"{}\","
        "\"standby\":{}}}",
        json_string(examined.server.version), json_string(provider), mode_name(examined.pooler),
        mode_name(examined.direct), examined.server.is_standby));
  } else {
    print_paragraph(
        fmt::format("server: PostgreSQL {}, {}; {}", major, provider, way_to(examined)));
  }
  for (const Mechanism& mechanism : examined.mechanisms) {
    const std::string_view verdict = name_of(mechanism.verdict);
    if (json) {
      print_json(fmt::format("{{\"mechanism\":{},\"verdict\":\"{}\",\"why\":{}}}",
                             json_string(mechanism.name), verdict, json_string(mechanism.why)));
    } else {
      print_paragraph(fmt::format("{}: {}: {}", mechanism.name, verdict, mechanism.why));
    }
  }
}

ExitCode examine_and_tell(pqxx::connection& connection, const DoctorOptions& options,
                          const GlobalOptions& globals) {
  try {
    ExamineRequest request;
    request.database_url = globals.database_url;
    request.direct_url = globals.direct_url;
    request.secrets = options.secrets;
    request.check_timeout_ms = parse_duration_ms(options.check_timeout);
    const Examination examined = examine(connection, request);
    if (options.mechanisms) print_server(examined, options.json);
    for (const Finding& finding : examined.findings) print(finding, options.json);
    if (examined.findings.empty() && !options.json) fmt::print("no findings\n");
    std::fflush(stdout);
    return examined.findings.empty() ? ExitCode::ok : ExitCode::failure;
  } catch (const pqxx::insufficient_privilege&) {
    const std::string prefix = role_prefix_of(connection).value_or("");
    throw CommandError(ExitCode::failure,
                       fmt::format("doctor looks at the whole configuration: run it as {}",
                                   prefix.empty() ? "the schema's owner"
                                                  : fmt::format("a member of {}_admin", prefix)));
  }
}

}  // namespace

Action configure_doctor(CommandSyntax syntax) {
  const auto options = std::make_shared<DoctorOptions>();
  syntax.add_flag("--json", options->json, "one JSON object a line, one per finding");
  syntax.add_flag(
      "--mechanisms", options->mechanisms,
      "also which server this is, and how each mechanism that Sluice needs fares there");
  syntax
      .add_option("--check-timeout", options->check_timeout,
                  "how long one check may take; then that is a finding")
      .option_text("DURATION [10s]");
  add_secret_flags(syntax, options->secrets);
  return [options](const GlobalOptions& globals) {
    return with_connection(globals, [&](pqxx::connection& database) {
      return examine_and_tell(database, *options, globals);
    });
  };
}

}  // namespace sluice
