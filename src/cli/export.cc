#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "cli/bulk.h"
#include "cli/database_session.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/syntax.h"
#include "cli/terminal.h"

namespace sluice {
namespace {

struct ExportOptions {
  std::optional<std::string> status;
  BulkOptions filter;
  std::optional<std::string> ended_since;
  std::optional<std::string> ended_until;
  int64_t after = 0;
  bool is_csv = false;
  bool no_texts = false;
};

// A statement reads one page: the snapshot of a longer one would keep dead rows from being removed.
class Export final {
 public:
  Export(pqxx::connection& connection, const ExportOptions& options)
      : session_(connection),
        options_(options),
        since_(moment(session_, options.filter.since)),
        until_(moment(session_, options.filter.until)),
        ended_since_(moment(session_, options.ended_since)),
        ended_until_(moment(session_, options.ended_until)),
        after_(options.after) {}

  void run() {
    if (options_.is_csv) {
      put(session_.exec1("select array_to_string(sluice.export_columns(), ',')")[0].c_str());
    }
    while (const std::optional<int64_t> upto = next_range()) {
      const int64_t last = put_page(*upto);
      after_ = last > 0 ? last : *upto;
      progress_.show(0, 0, fmt::format("{} tasks, up to id {}", written_, after_));
    }
    progress_.clear();
  }

 private:
  std::optional<int64_t> next_range() {
    const pqxx::row range = session_.exec_params1("select sluice.export_range($1::bigint)", after_);
    if (range[0].is_null()) return std::nullopt;
    return range[0].as<int64_t>();
  }

  // The last id written; 0: none. A page may end early, for its bytes: the next begins after that.
  int64_t put_page(int64_t upto) {
    int64_t last = 0;
    for (const pqxx::row& row : session_.exec_params(
             "select id, line from sluice.export_tasks($1::bigint, $2::bigint, $3, $4, $5,"
             " $6::bigint, $7::jsonb, $8::timestamptz, $9::timestamptz, $10::timestamptz,"
             " $11::timestamptz, $12::boolean, format => $13)",
             after_, upto, options_.status, options_.filter.model, options_.filter.tenant,
             options_.filter.batch_id, options_.filter.metadata, since_, until_, ended_since_,
             ended_until_, !options_.no_texts, options_.is_csv ? "csv" : "json")) {
      last = row[0].as<int64_t>();
      put(row[1].c_str());
      ++written_;
    }
    return last;
  }

  // CSV goes out as it is, but to a terminal: its texts may have lines of their own.
  void put(const char* line) {
    if (!options_.is_csv) {
      print_json(line);
    } else {
      fmt::print("{}\r\n", for_stdout(line));
    }
  }

  pqxx::nontransaction session_;
  const ExportOptions& options_;
  std::optional<std::string> since_;
  std::optional<std::string> until_;
  std::optional<std::string> ended_since_;
  std::optional<std::string> ended_until_;
  int64_t after_;
  uint64_t written_ = 0;
  Progress progress_;
};

}  // namespace

Action configure_export(CommandSyntax syntax) {
  const auto options = std::make_shared<ExportOptions>();
  add_status_flag(syntax, options->status);
  add_condition_flags(syntax, options->filter, "submitted");
  syntax
      .add_option("--ended-since", options->ended_since,
                  "that ended from then on, such as 'yesterday', midnight by the server's zone")
      .option_text("TIME");
  syntax.add_option("--ended-until", options->ended_until, "that ended before then")
      .option_text("TIME");
  syntax
      .add_option("--after", options->after,
                  "with a greater id: to go on after the last line of another export")
      .option_text("ID [0]");
  syntax
      .add_option_function(
          "--format", [options](const std::string& format) { options->is_csv = format == "csv"; },
          "jsonl: one object a line, which import takes; csv: with a header, where texts that a "
          "spreadsheet would take for a formula begin with an apostrophe")
      .one_of({"jsonl", "csv"})
      .option_text("jsonl|csv [jsonl]");
  syntax.add_flag("--no-texts", options->no_texts, "without prompt, request, answer and response");
  syntax.footer(
      "\nMemory holds one page: 1,000 tasks, 8 MiB of texts. A task that moves meanwhile is "
      "written once, as it was when its page was read.");
  syntax.keep_from_environment();
  return [options](const GlobalOptions& globals) {
    end_on_interrupt("\nsluice: interrupted\n");
    return with_database(globals, [&](pqxx::connection& database) {
      Export(database, *options).run();
      return ExitCode::ok;
    });
  };
}

}  // namespace sluice
