#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/database_session.h"
#include "cli/estimate.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/outcome_wait.h"
#include "cli/progress.h"
#include "cli/submission.h"
#include "cli/syntax.h"
#include "cli/terminal.h"
#include "command_error.h"
#include "counted.h"
#include "duration.h"
#include "harmless_text.h"
#include "json_object.h"
#include "json_text.h"

namespace sluice {
namespace {

// Above the largest request_bytes_max (256 MiB) with some room for escapes and keys.
constexpr size_t line_bytes_max = 320 << 20;

struct SubmitOptions {
  std::string file;
  std::optional<std::string> prompt;
  std::optional<std::string> model;
  std::optional<int> priority;
  std::optional<std::string> tenant;
  std::string metadata;
  std::optional<std::string> schema_version;
  std::optional<std::string> affinity_key;
  std::optional<std::string> run_at;
  std::optional<std::string> deadline;
  std::optional<std::string> idempotency_key;
  std::optional<int> max_output_tokens;
  bool skip = false;
  bool wait = false;
  std::string timeout;
  bool dry_run = false;
  bool json = false;
};

// The flags as the first fields of an object: PostgreSQL keeps the last of equal keys, so whatever
// the line itself says wins.
std::string default_fields(const SubmitOptions& options) {
  std::string fields;
  if (options.model) fields += "\"model\":" + json_string(*options.model) + ',';
  if (options.priority) fields += "\"priority\":" + std::to_string(*options.priority) + ',';
  if (options.tenant) fields += "\"tenant\":" + json_string(*options.tenant) + ',';
  if (!options.metadata.empty()) fields += "\"metadata\":" + options.metadata + ',';
  if (options.schema_version) {
    fields += "\"schema_version\":" + json_string(*options.schema_version) + ',';
  }
  if (options.affinity_key) {
    fields += "\"affinity_key\":" + json_string(*options.affinity_key) + ',';
  }
  if (options.run_at) fields += "\"run_at\":" + json_string(*options.run_at) + ',';
  if (options.deadline) fields += "\"deadline\":" + json_string(*options.deadline) + ',';
  if (options.idempotency_key) {
    fields += "\"idempotency_key\":" + json_string(*options.idempotency_key) + ',';
  }
  if (options.max_output_tokens) {
    fields += "\"max_output_tokens\":" + std::to_string(*options.max_output_tokens) + ',';
  }
  return fields;
}

// Requires: `object` is outlined like a JSON object.
std::string with_defaults(std::string object, std::string_view fields) {
  const size_t begin = object.find('{') + 1;
  const bool empty = object.find_first_not_of(" \t\r\n", begin) == object.find('}', begin);
  if (empty && !fields.empty()) fields.remove_suffix(1);  // its comma
  object.insert(begin, fields);
  return object;
}

// "submit 'What is 2+2?'": a prompt where a file's name belongs.
void check_file(const std::string& file) {
  if (file.empty() || file == "-" || access(file.c_str(), F_OK) == 0) return;
  throw CommandError(ExitCode::failure,
                     fmt::format("cannot open {}: {}; for a prompt: sluice submit --prompt TEXT",
                                 cut_to(harmless(file, false), 60), std::strerror(errno)));
}

// When --timeout is over, which includes the time that submitting takes.
class Deadline final {
 public:
  explicit Deadline(const std::string& timeout) {
    if (!timeout.empty()) at_ = Clock::now() + milliseconds(parse_duration_ms(timeout));
  }
  std::optional<int64_t> left_ms() const {
    if (!at_) return {};
    const auto left = std::chrono::ceil<milliseconds>(*at_ - Clock::now());
    return std::max<int64_t>(left.count(), 0);
  }
  // Bounds the transaction's next statements. (Its COMMIT waits for no locks of ours.) A shorter
  // statement_timeout of the login holds; zero means none.
  void bound(pqxx::dbtransaction& transaction) const {
    if (!at_) return;
    constexpr int64_t postgres_max = std::numeric_limits<int32_t>::max();
    transaction.exec_params(
        "select set_config(name, least(nullif(setting::int, 0), $1)::text, true) "
        "from pg_settings where name = 'statement_timeout'",
        std::clamp<int64_t>(*left_ms(), 1, postgres_max));
  }

 private:
  using Clock = std::chrono::steady_clock;
  using milliseconds = std::chrono::milliseconds;
  std::optional<Clock::time_point> at_;
};

constexpr const char* submit_sql = "select * from sluice.submit_many($1::jsonb)";

// One run of the command, up to the last COMMIT.
class Run final {
 public:
  Run(const SubmitOptions& options, const Deadline& deadline, pqxx::connection& connection)
      : options_(options),
        deadline_(deadline),
        fields_(default_fields(options)),
        submission_(
            connection,
            options.skip ? Submission::Mode::chunk_by_chunk : Submission::Mode::all_or_nothing,
            [this](size_t line, const std::string& reason) { refuse(line, reason); },
            [this](const std::vector<Submission::Accepted>& accepted) { accept(accepted); },
            sender()) {}

  void submit() {
    constexpr std::string_view query_canceled = "57014";
    try {
      options_.prompt ? submit_prompt() : submit_lines();
    } catch (const pqxx::sql_error& error) {
      if (error.sqlstate() != query_canceled || deadline_.left_ms() != 0) throw;
      const std::string submitted = accepted_.empty()
                                        ? "nothing was submitted"
                                        : counted(accepted_.size(), "task") + " before it were";
      throw CommandError(ExitCode::failure,
                         fmt::format("not submitted within {}; {}", options_.timeout, submitted));
    }
  }

  void print_estimate(pqxx::connection& connection) const {
    pqxx::nontransaction session(connection);
    estimate_.print(session, options_.json);
  }

  const std::vector<Submission::Accepted>& accepted() const { return accepted_; }
  bool some_refused() const { return some_refused_; }

 private:
  void submit_prompt() {
    submit_object(0, "{\"prompt\":" + json_string(*options_.prompt) + '}');
    submission_.finish();
  }

  void submit_lines() {
    LineReader reader(options_.file, line_bytes_max);
    for (LineReader::Line line; reader.next(line);) {
      if (line.too_long) {
        submission_.refuse(line.number, fmt::format("longer than {} bytes", line_bytes_max));
      } else if (line.text.find_first_not_of(" \t\r") != std::string::npos) {
        submit_object(line.number, std::move(line.text));
      }
      progress_.show(reader.bytes_read(), reader.bytes_total(),
                     fmt::format("{} lines sent", line.number));
    }
    submission_.finish();
    progress_.clear();
  }

  Submission::Send sender() {
    if (options_.dry_run) {
      return [this](pqxx::dbtransaction& transaction, const std::string& tasks) {
        return estimate_.add(transaction, tasks);
      };
    }
    return [this, send = Submission::by_statement(submit_sql)](pqxx::dbtransaction& transaction,
                                                               const std::string& tasks) {
      deadline_.bound(transaction);
      return send(transaction, tasks);
    };
  }

  void submit_object(size_t line, std::string object) {
    std::string problem = json_object_problem(object);
    if (problem.empty()) {
      submission_.add(line, with_defaults(std::move(object), fields_));
    } else {
      submission_.refuse(line, std::move(problem));
    }
  }

  void refuse(size_t line, const std::string& reason) {
    const std::string where = options_.prompt ? "" : fmt::format("line {}: ", line);
    if (!options_.skip) {
      const bool has_others = !options_.prompt && !options_.dry_run;
      throw CommandError(ExitCode::failure,
                         where + reason + "; nothing was submitted" +
                             (has_others ? " (--on-error skip submits the others)" : ""));
    }
    some_refused_ = true;
    progress_.clear();
    fmt::print(stderr, "sluice: {}{}\n", where, harmless(reason, false));
  }

  void accept(const std::vector<Submission::Accepted>& accepted) {
    if (options_.dry_run) return;
    if (options_.wait) {
      accepted_.insert(accepted_.end(), accepted.begin(), accepted.end());
      return;
    }
    progress_.clear();
    for (const Submission::Accepted& task : accepted) fmt::print("{}\n", task.id);
    if (std::fflush(stdout) != 0) {
      throw CommandError(ExitCode::failure, "standard output takes no more; tasks were submitted");
    }
  }

  const SubmitOptions& options_;
  const Deadline& deadline_;
  const std::string fields_;
  Progress progress_;
  Estimate estimate_;  // with --dry-run
  Submission submission_;
  std::vector<Submission::Accepted> accepted_;  // with --wait
  bool some_refused_ = false;
};

// Where a task comes from; of lines with one idempotency key the first.
class Lines final {
 public:
  explicit Lines(const std::vector<Submission::Accepted>& accepted) {
    for (const Submission::Accepted& task : accepted) by_id_.emplace(task.id, task.line);
  }
  std::vector<int64_t> ids() const {
    std::vector<int64_t> ids;
    for (const auto& [id, line] : by_id_) ids.push_back(id);
    return ids;
  }
  // `object` as JSON, with its task's line as the first field.
  std::string number(int64_t id, std::string object) const {
    return object.insert(1, fmt::format("\"line\":{},", by_id_.at(id)));
  }

 private:
  std::unordered_map<int64_t, size_t> by_id_;
};

// What Ctrl-C says of the tasks waited for. (A message of the signal's handler is made before.)
std::string farewell_of(std::vector<int64_t> ids) {
  constexpr size_t shown_max = 5;
  if (ids.size() == 1) {
    return fmt::format(
        "\nsluice: interrupted; task {0} goes on: sluice task {0} shows it, sluice cancel {0} ends "
        "it\n",
        ids.front());
  }
  std::sort(ids.begin(), ids.end());
  const size_t shown = std::min(ids.size(), shown_max);
  return fmt::format(
      "\nsluice: interrupted; {} go on, if they have not ended: {}{} (sluice task ID shows one, "
      "sluice cancel ID ends it)\n",
      counted(ids.size(), "task"),
      fmt::join(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(shown), ", "),
      shown < ids.size() ? fmt::format(" to {}", ids.back()) : "");
}

// False if a task did not end solved, or not in time.
bool wait_for_all(const SubmitOptions& options, const Deadline& deadline,
                  const std::string& database_url, const Lines& lines) {
  static std::string farewell;  // the handler's until the process ends
  farewell = farewell_of(lines.ids());
  end_on_interrupt(farewell.c_str());
  Progress progress;
  bool all_solved = true;
  const auto on_ended = [&](const EndedTask& task) {
    const bool solved = task.status == "solved";
    all_solved = all_solved && solved;
    progress.clear();
    if (options.prompt && !solved) {
      fmt::print(stderr, "sluice: task {} ended {}: {}\n", task.id, harmless(task.status, false),
                 harmless(task.text, false));
    } else if (!options.prompt) {
      print_json(lines.number(task.id, task.text));
    } else {
      fmt::print("{}\n", for_stdout(task.text));
    }
    std::fflush(stdout);
  };
  const auto on_look = [&](size_t ended, size_t total) {
    progress.show(ended, total, fmt::format("{} of {} ended", ended, total));
  };
  const auto on_standstill = [&](int64_t id, const std::string& why) {
    progress.clear();
    fmt::print(stderr, "sluice: task {}: {}\n", id, harmless(why, false));
  };
  OutcomeWait wait{lines.ids(), options.prompt ? OutcomeForm::bare : OutcomeForm::json,
                   deadline.left_ms()};
  const size_t left = wait_for_outcomes(database_url, std::move(wait),
                                        OutcomeListener{on_ended, on_look, on_standstill});
  progress.clear();
  if (left > 0 && options.prompt) {
    fmt::print(stderr, "sluice: task {} has not ended within {}; it goes on\n", lines.ids().front(),
               options.timeout);
  } else if (left > 0) {
    fmt::print(stderr, "sluice: {} had not ended within {}; nothing was cancelled\n",
               counted(left, "task"), options.timeout);
  }
  return all_solved && left == 0;
}

void check_usage(SubmitOptions& options) {
  if (options.prompt.has_value() == !options.file.empty()) {
    throw CommandError(ExitCode::usage, "submit needs one of FILE.jsonl, - and --prompt TEXT");
  }
  constexpr int any_number = std::numeric_limits<int>::max();  // of keys: its bytes are bounded
  if (!options.metadata.empty() && !json_object_problem(options.metadata, any_number).empty()) {
    throw CommandError(ExitCode::usage, "--metadata must be a JSON object, such as '{\"a\": 1}'");
  }
  if (!options.timeout.empty()) {
    parse_duration_ms(options.timeout);  // before anything is submitted
    if (!options.wait) throw CommandError(ExitCode::usage, "--timeout goes with --wait");
  }
  if (options.idempotency_key && !options.prompt) {
    throw CommandError(ExitCode::usage,
                       "--idempotency-key goes with --prompt: each line needs one of its own");
  }
  if (options.wait && options.dry_run) {
    throw CommandError(ExitCode::usage, "--wait does not go with --dry-run: nothing is submitted");
  }
  if (options.json && !options.dry_run) {
    throw CommandError(ExitCode::usage, "--json goes with --dry-run");
  }
}

ExitCode submit(SubmitOptions& options, const GlobalOptions& globals) {
  check_usage(options);
  check_file(options.file);
  end_on_interrupt("\nsluice: interrupted while submitting\n");
  const Deadline deadline(options.timeout);
  std::vector<Submission::Accepted> accepted;
  const ExitCode submitted = with_database(globals, [&](pqxx::connection& database) {
    Run run(options, deadline, database);
    run.submit();
    if (options.dry_run) run.print_estimate(database);
    accepted = run.accepted();
    return run.some_refused() ? ExitCode::failure : ExitCode::ok;
  });
  if (accepted.empty()) return submitted;
  return wait_for_all(options, deadline, globals.database_url, Lines(accepted)) ? submitted
                                                                                : ExitCode::failure;
}

}  // namespace

Action configure_submit(CommandSyntax syntax) {
  const auto options = std::make_shared<SubmitOptions>();
  syntax
      .add_option("file", options->file,
                  "one JSON object a line, with the arguments of "
                  "sluice.submit as its keys; - is standard input")
      .option_text("FILE.jsonl");
  syntax.add_option("--prompt", options->prompt, "one task with this prompt, instead of a file")
      .option_text("TEXT");
  syntax
      .add_option("--model", options->model,
                  "model or route of lines that name none\n[settings.default_model]")
      .option_text("M");
  syntax.add_option("--priority", options->priority, "of lines that have none, -100 to 100 [0]")
      .in_range(-100, 100)
      .option_text("N");
  syntax.add_option("--tenant", options->tenant, "of lines that have none [default]")
      .option_text("T");
  syntax.add_option("--metadata", options->metadata, "a JSON object, for lines that have none")
      .option_text("JSON");
  syntax
      .add_option("--schema-version", options->schema_version,
                  "of the payloads of lines that have none, one of sluice.payload_schema")
      .option_text("V");
  syntax
      .add_option("--affinity-key", options->affinity_key,
                  "of lines that have none: a route sends tasks of one key to one model")
      .option_text("KEY");
  syntax
      .add_option("--run-at", options->run_at,
                  "of lines that have none: not before then, '2030-01-01 08:00+00'")
      .option_text("TIME");
  syntax
      .add_option("--deadline", options->deadline,
                  "of lines that have none: they expire if they have not begun by then")
      .option_text("TIME");
  syntax
      .add_option("--max-output-tokens", options->max_output_tokens,
                  "of lines that have none: the longest answer [the model's]")
      .in_range(1, std::numeric_limits<int>::max())
      .option_text("N");
  syntax
      .add_option("--idempotency-key", options->idempotency_key,
                  "with --prompt: a repeat with the same key is the first task")
      .keep_from_environment()
      .option_text("KEY");
  syntax
      .add_option_function(
          "--on-error", [options](const std::string& what) { options->skip = what == "skip"; },
          "abort: one bad line, and nothing is submitted; "
          "skip: it is reported, the others are submitted")
      .one_of({"abort", "skip"})
      .option_text("abort|skip [abort]");
  syntax.add_flag("--wait", options->wait,
                  "print each task as it ends, a JSON object a line "
                  "with the number of its line; with --prompt the "
                  "bare answer; says on stderr what keeps tasks that "
                  "have not begun");
  syntax
      .add_option("--timeout", options->timeout,
                  "with --wait, for so long at most, but for what standard input takes; then exit "
                  "code 1: tasks go on, and what is not yet submitted is not [no limit]")
      .option_text("DURATION");
  syntax.add_flag("--dry-run", options->dry_run,
                  "submit nothing: print how many tokens the tasks "
                  "need, what they cost, and when they would end");
  syntax.add_flag("--json", options->json,
                  "with --dry-run: an object a line, of each model or route");
  return [options](const GlobalOptions& globals) { return submit(*options, globals); };
}

}  // namespace sluice
