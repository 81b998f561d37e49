#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "cli/database_session.h"
#include "cli/rows.h"
#include "cli/settings.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "command_error.h"

namespace sluice {
namespace {

struct RampOptions {
  bool json = false;
  std::string route;
  std::string model;
  std::optional<std::string> share;  // of these three: as typed, 30% or 0.3
  std::optional<std::string> error_margin;
  std::optional<std::string> p95_margin;
  std::optional<int> steps;
  std::optional<std::string> step_time;
  std::optional<int> calls_min;
  std::optional<std::string> reason;
};

std::optional<double> part_of_one(const std::optional<std::string>& text, std::string_view flag) {
  if (!text) return std::nullopt;
  std::string_view digits = *text;
  const bool is_per_cent = digits.ends_with('%');
  if (is_per_cent) digits.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw CommandError(ExitCode::usage,
                       fmt::format("'{}' is no {}; such as 30% or 0.3", *text, flag));
  }
  return is_per_cent ? value / 100 : value;
}

void list(pqxx::work& transaction, bool json) {
  using Kind = Table::Kind;
  const Table table({{"ROUTE"},
                     {"MODEL"},
                     {"STATE", Kind::whole},
                     {"STEP", Kind::whole},
                     {"TO", Kind::number},
                     {"WEIGHT", Kind::number},
                     {"CALLS", Kind::number, 2},
                     {"FAILED", Kind::number, 2},
                     {"P95 S", Kind::number, 3},
                     {"OTHERS", Kind::number, 3},
                     {"WHY", Kind::elastic, 1}});
  print_listing(transaction, json, table, "sluice.ramps() r",
                "route, model, state, format('%s of %s', step, steps),"
                " round((100 * share)::numeric, 1) || ' %', weight, calls, errors,"
                " round(p95_s::numeric, 2), round(others_p95_s::numeric, 2), reason");
}

void start(pqxx::work& transaction, const RampOptions& options) {
  const pqxx::row id = transaction.exec_params1(
      "select sluice.start_ramp($1, $2, $3, $4::int, $5::interval, $6::int, $7, $8, $9)",
      options.route, options.model, part_of_one(options.share, "share"), options.steps,
      options.step_time, options.calls_min, part_of_one(options.error_margin, "margin"),
      part_of_one(options.p95_margin, "margin"), options.reason);
  print_line(id[0].c_str());
}

// `function`: pause_ramp, resume_ramp or stop_ramp.
void act(pqxx::work& transaction, const char* function, const RampOptions& options) {
  const pqxx::row state = transaction.exec_params1(
      fmt::format("select sluice.{}($1, $2)", function), options.route, options.reason);
  print_line(state[0].c_str());
}

void add_route(CommandSyntax syntax, RampOptions& options) {
  syntax.add_option("route", options.route, "the route").required().option_text("ROUTE");
}

void configure_start(CommandSyntax syntax, RampOptions& options) {
  const auto add = [&syntax](const char* flag, auto& value, const char* help, const char* text) {
    syntax.add_option(flag, value, help).option_text(text);
  };
  add_route(syntax, options);
  syntax.add_option("model", options.model, "one of its models; a new one has weight 0")
      .required()
      .option_text("MODEL");
  add("--share", options.share, "of the route, at the end", "SHARE [30%]");
  add("--steps", options.steps, "equal ones", "N [6]");
  add("--step-time", options.step_time, "how long each lasts at least", "DURATION [10m]");
  add("--calls-min", options.calls_min, "of the model in each step, or it lasts longer", "N [100]");
  add("--error-margin", options.error_margin, "how much more of its calls may fail", "PART [2%]");
  add("--p95-margin", options.p95_margin,
      "how much longer 95 % of its calls may take; infinity: any time", "PART [50%]");
  add_reason(syntax, options.reason);
  syntax.footer(
      "\nPrints the ramp's id. Workers, and tick, make its steps. When the model does worse than "
      "the route's others by one of these margins, its weight goes back to what it was before.");
}

}  // namespace

Action configure_ramp(CommandSyntax syntax) {
  const auto options = std::make_shared<RampOptions>();
  syntax.require_subcommand();
  const CommandSyntax ls = syntax.add_subcommand("ls", "Ramps, newest first");
  ls.add_flag("--json", options->json, "one JSON object a line");
  const CommandSyntax begin =
      syntax.add_subcommand("start", "Let a model's share of a route grow in steps");
  configure_start(begin, *options);
  const CommandSyntax pause =
      syntax.add_subcommand("pause", "Make no further step; a model that does worse ends it");
  const CommandSyntax resume = syntax.add_subcommand("resume", "Go on; the step begins anew");
  const CommandSyntax stop =
      syntax.add_subcommand("stop", "End it; the weight goes back to what it was before");
  for (CommandSyntax command : {pause, resume, stop}) {
    add_route(command, *options);
    add_reason(command, options->reason);
  }
  return [options, ls, begin, pause, resume](const GlobalOptions& globals) {
    return in_transaction(globals, [&](pqxx::work& transaction) {
      if (ls.parsed()) {
        list(transaction, options->json);
      } else if (begin.parsed()) {
        start(transaction, *options);
      } else {
        act(transaction,
            pause.parsed()    ? "pause_ramp"
            : resume.parsed() ? "resume_ramp"
                              : "stop_ramp",
            *options);
      }
    });
  };
}

}  // namespace sluice
