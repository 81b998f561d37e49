#include <fmt/format.h>

#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <utility>
#include <vector>

#include "cli/bulk.h"
#include "cli/database_session.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/progress.h"
#include "cli/submission.h"
#include "cli/syntax.h"
#include "command_error.h"
#include "harmless_text.h"
#include "json_object.h"

namespace sluice {
namespace {

// A task with texts of 256 MiB, escaped, and its answer.
constexpr size_t line_bytes_max = 640 << 20;

struct ImportOptions {
  std::string file;
  std::string source;
  bool skip = false;
};

class Import final {
 public:
  Import(pqxx::connection& connection, const ImportOptions& options)
      : options_(options),
        submission_(
            connection, Submission::Mode::chunk_by_chunk,
            [this](size_t line, const std::string& reason) { refuse(line, reason); },
            [this](const std::vector<Submission::Accepted>& accepted) {
              imported_ += accepted.size();
            },
            Submission::by_statement(statement(connection, options.source))) {}

  ExitCode run() {
    LineReader reader(options_.file, line_bytes_max);
    for (LineReader::Line line; reader.next(line);) {
      add(line);
      progress_.show(reader.bytes_read(), reader.bytes_total(),
                     fmt::format("{} lines sent", line.number));
    }
    submission_.finish();
    progress_.clear();
    fmt::print("{}\n", imported_);
    return some_refused_ ? ExitCode::failure : ExitCode::ok;
  }

 private:
  static std::string statement(pqxx::connection& connection, const std::string& source) {
    return "select * from sluice.import_tasks($1::jsonb, " + connection.quote(source) + ")";
  }

  void add(LineReader::Line& line) {
    if (line.too_long) {
      submission_.refuse(line.number, fmt::format("longer than {} bytes", line_bytes_max));
    } else if (line.text.find_first_not_of(" \t\r") == std::string::npos) {
      return;
    } else if (const std::string problem = json_object_problem(line.text); !problem.empty()) {
      submission_.refuse(line.number, problem);
    } else {
      submission_.add(line.number, std::move(line.text));
    }
  }

  void refuse(size_t line, const std::string& reason) {
    if (!options_.skip) {
      throw CommandError(ExitCode::failure,
                         fmt::format("line {}: {}; {} tasks were imported before it, and an import "
                                     "may be begun again",
                                     line, reason, imported_));
    }
    some_refused_ = true;
    progress_.clear();
    fmt::print(stderr, "sluice: line {}: {}\n", line, harmless(reason, false));
  }

  const ImportOptions& options_;
  Progress progress_;
  size_t imported_ = 0;
  bool some_refused_ = false;
  Submission submission_;
};

}  // namespace

Action configure_import(CommandSyntax syntax) {
  const auto options = std::make_shared<ImportOptions>();
  syntax.add_option("file", options->file, "what export has written as jsonl; - is standard input")
      .required()
      .option_text("FILE.jsonl");
  syntax
      .add_option("--source", options->source,
                  "a name for where the tasks come from: with their ids there it tells which have "
                  "come before")
      .required()
      .option_text("NAME");
  syntax
      .add_option_function(
          "--on-error", [options](const std::string& what) { options->skip = what == "skip"; },
          "abort: ends at a bad line; skip: it is reported, the others are imported")
      .one_of({"abort", "skip"})
      .option_text("abort|skip [abort]");
  syntax.footer(
      "\nPrints how many tasks there were. Ended ones are stored as they ended; the others "
      "are submitted. Imported again, a task stays what it is.");
  syntax.keep_from_environment();
  return [options](const GlobalOptions& globals) {
    end_on_interrupt("\nsluice: interrupted; an import may be begun again\n");
    return with_database(
        globals, [&](pqxx::connection& database) { return Import(database, *options).run(); });
  };
}

}  // namespace sluice
