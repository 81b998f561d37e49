#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/suggestion.h"
#include "cli/syntax.h"
#include "command_error.h"
#include "db/database_url.h"
#include "harmless_text.h"
#include "log.h"

namespace sluice {
namespace {

constexpr const char* footer =
    "Every flag --some-name is also read from SLUICE_SOME_NAME, and the command line wins; what to "
    "cancel, redrive, forget or remove is never read from there.\n"
    "Database: --database-url, else SLUICE_DATABASE_URL, DATABASE_URL, PG*.\n"
    "Durations: 10ms, 5s, 2m.\n"
    "Exit codes: 0 ok, 1 failure or findings, 2 usage, 3 bad configuration, 4 database "
    "unreachable, 5 schema mismatch, 130/143 forced.";

// CLI11's help, with lines that fit every terminal: what is too long goes on below the
// descriptions.
class NarrowHelp final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::istringstream help(CLI::Formatter::make_help(app, std::move(name), mode));
    std::string narrow;
    for (std::string line; std::getline(help, line);) {
      const size_t indent = line.starts_with(' ') ? get_column_width() : 0;
      while (line.size() > width_max) {
        const size_t space = line.rfind(' ', width_max);
        if (space == std::string::npos || space <= indent) break;  // one long word
        narrow += line.substr(0, space) + '\n';
        line = std::string(indent, ' ') + line.substr(space + 1);
      }
      narrow += line + '\n';
    }
    return narrow;
  }

  // CLI11 leaves the twin out where the text of a flag's value is ours. It writes a default as
  // "=info", since 2.4 as " [info] ": pages and tests read the former.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    const std::string bracketed = fmt::format(" [{}] ", option->get_default_str());
    if (const size_t at = text.find(bracketed); at != std::string::npos) {
      text.replace(at, bracketed.size(), '=' + option->get_default_str());
    }
    // Whoever gives both is told; between name and text it reads as if it belonged to either.
    text.erase(std::min(text.size(), text.find(" Excludes:")));
    if (!option->get_option_text().empty() && !option->get_envname().empty()) {
      text += fmt::format(" (Env:{})", option->get_envname());
    }
    return text;
  }

 private:
  static constexpr size_t width_max = 80;
};

struct CommandLine {
  GlobalOptions globals;
  CLI::App app{"Sluice: an LLM task queue on nothing but PostgreSQL", "sluice"};
  Action action;
};

void add_global_flags(CommandLine& line) {
  CLI::App& app = line.app;
  app.set_version_flag("--version", "sluice " SLUICE_VERSION);
  app.add_option("--database-url", line.globals.database_url,
                 "postgresql://USER@HOST:PORT/NAME or libpq's key=value form [PG* variables]")
      ->type_name("URL");
  app.add_option("--direct-url", line.globals.direct_url,
                 "the same database past a pooler, for LISTEN and migrations [--database-url]")
      ->type_name("URL");
  app.add_option("--log-level", line.globals.log_level, "the least that is logged, on stderr")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}))
      ->type_name("LEVEL")
      ->capture_default_str();
  app.add_option("--log-format", line.globals.log_format, "of the log")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT")
      ->capture_default_str();
}

// Each --some-name is read from SLUICE_SOME_NAME too, in nested commands as well, unless it is
// configurable(false): a variable must not do what only a person may mean.
void add_environment_twins(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& names = option->get_lnames();
    if (names.empty() || !option->get_configurable() || !option->get_envname().empty()) continue;
    std::string twin = "SLUICE_" + names.front();
    std::transform(twin.begin(), twin.end(), twin.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : std::toupper(c); });
    option->envname(twin);
  }
  for (CLI::App* nested : app.get_subcommands({})) add_environment_twins(*nested);
}

// "help" and "version" are what --help and --version are; "help model close" helps on that.
void read_words_as_flags(std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  if (arguments.front() == "version") arguments.front() = "--version";
  if (arguments.front() != "help") return;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
}

const Command* find_command(const std::vector<std::string>& arguments, size_t* position) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (const Command& command : commands()) {
      if (arguments[i] == command.name) {
        *position = i;
        return &command;
      }
    }
  }
  return nullptr;
}

// Takes what follows a verbatim command's name away from the parser.
void cut_verbatim(std::vector<std::string>& arguments, size_t position, GlobalOptions& globals) {
  const auto rest = arguments.begin() + static_cast<ptrdiff_t>(position) + 1;
  globals.verbatim.assign(rest, arguments.end());
  arguments.erase(rest, arguments.end());
}

// The innermost command that was named, and the names that lead to it: "model ls".
CLI::App& innermost(CLI::App& app, std::string& path) {
  CLI::App* found = &app;
  while (!found->get_subcommands().empty()) {
    found = found->get_subcommands().front();
    path += (path.empty() ? "" : " ") + found->get_name();
  }
  return *found;
}

std::vector<std::string_view> nested_names(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::App* nested : app.get_subcommands(nullptr)) {
    const bool is_hidden = nested->get_group().empty();
    if (!nested->get_name().empty() && !is_hidden) names.emplace_back(nested->get_name());
  }
  return names;
}

// Of the command and of all above it, whose flags it takes as well.
std::vector<std::string> flags_of(CLI::App* app) {
  std::vector<std::string> flags;
  for (; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
  }
  return flags;
}

// What other programs call a command, and how it is called here.
constexpr std::pair<std::string_view, std::string_view> other_words[] = {
    {"list", "ls"},     {"show", "ls"},   {"add", "set"},   {"update", "set"},
    {"create", "set"},  {"delete", "rm"}, {"remove", "rm"}, {"unpause", "resume"},
    {"open", "resume"}, {"wait", "task"}, {"get", "task"},  {"show", "task"},
    {"list", "tasks"},  {"ls", "tasks"},
};

std::string_view our_word_for(std::string_view word, const std::vector<std::string_view>& names) {
  for (const auto& [theirs, ours] : other_words) {
    if (word == theirs && std::find(names.begin(), names.end(), ours) != names.end()) return ours;
  }
  return word;
}

[[noreturn]] void refuse_extra(CLI::App& app, const std::string& path, const std::string& extra) {
  const std::string prefix = path.empty() ? "" : path + " ";
  const std::string see = fmt::format("; see sluice {}--help", prefix);
  if (extra.starts_with('-')) {
    const std::string flag = extra.substr(0, extra.find('='));
    const std::vector<std::string> flags = flags_of(&app);
    const std::vector<std::string_view> known(flags.begin(), flags.end());
    throw CommandError(ExitCode::usage,
                       fmt::format("unknown flag: {}{}", flag, did_you_mean(flag, known, see)));
  }
  const std::vector<std::string_view> names = nested_names(app);
  if (names.empty()) {
    throw CommandError(ExitCode::usage, fmt::format("one argument too many: {}{}", extra, see));
  }
  const std::string otherwise =
      path.empty() ? see : fmt::format("; {} needs one of {}", path, fmt::join(names, ", "));
  throw CommandError(ExitCode::usage, fmt::format("unknown command: {}{}{}", prefix, extra,
                                                  did_you_mean(our_word_for(extra, names), names,
                                                               otherwise, prefix)));
}

// Refuses what CLI11 left over.
void check_extras(CLI::App& root) {
  std::string path;
  CLI::App& app = innermost(root, path);
  const std::vector<std::string> extras = root.remaining(true);
  if (!extras.empty()) refuse_extra(app, path, extras.front());
}

// Refuses a command of commands that was given none of them.
void check_completeness(CLI::App& root) {
  std::string path;
  const std::vector<std::string_view> names = nested_names(innermost(root, path));
  if (names.empty()) return;
  throw CommandError(ExitCode::usage, path.empty()
                                          ? "a command is missing; see sluice --help"
                                          : fmt::format("{} needs one of {}; see sluice {} --help",
                                                        path, fmt::join(names, ", "), path));
}

// Since 2.4 CLI11 passes over a variable whose value it refuses, and a default would hold: that is
// refused as it is on the command line.
void read_refused_variables(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string name = option->get_envname();
    const char* value = option->count() > 0 || name.empty() ? nullptr : std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') continue;
    option->add_result(value);
    option->run_callback();
  }
  for (CLI::App* chosen : app.get_subcommands()) read_refused_variables(*chosen);
}

// --tenant "$T" with no T would else mean all tenants, as if the flag were not there. (A variable
// that is empty is one that is not set.)
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (option->get_lnames().empty() || option->count() == 0) continue;
    if (std::find(values.begin(), values.end(), "") == values.end()) continue;
    throw CommandError(ExitCode::usage,
                       fmt::format("--{} is empty: give it a value, or leave it out",
                                   option->get_lnames().front()));
  }
  for (const CLI::App* chosen : app.get_subcommands()) refuse_empty_values(*chosen);
}

// A name that is mistyped is said in our words, before anything that CLI11 concludes from it.
void parse_words(CLI::App& root, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes a stack
  try {
    root.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    check_extras(root);
    throw;
  } catch (const CLI::RequiredError&) {
    check_extras(root);
    check_completeness(root);
    throw;
  }
  check_extras(root);
  check_completeness(root);
  refuse_empty_values(root);
  read_refused_variables(root);
}

void set_up(CommandLine& line) {
  line.app.formatter(std::make_shared<NarrowHelp>());
  add_global_flags(line);
  line.app.fallthrough();   // global flags may follow the command
  line.app.allow_extras();  // we say better than CLI11 what is too much
  line.app.footer(footer);
}

CLI::App& add_command(CommandLine& line, const Command& command) {
  CLI::App* app = line.app.add_subcommand(command.name, command.help);
  app->allow_extras(false);
  if (command.hidden) app->group("");
  return *app;
}

void add_words(CommandLine& line) {
  line.app.add_subcommand("help", "What --help says, of a command: sluice help model close");
  line.app.add_subcommand("version", "What --version says");
}

// The parser knows the chosen command alone, or all of them, without flags, where none is named and
// help may be wanted: neither the environment twin of another command's flag nor an argument that
// is named as another command can get in the way.
void parse(CommandLine& line, std::vector<std::string> arguments) {
  set_up(line);
  read_words_as_flags(arguments);
  size_t position = 0;
  const Command* chosen = find_command(arguments, &position);
  if (chosen != nullptr && chosen->verbatim) cut_verbatim(arguments, position, line.globals);
  for (const Command& command : commands()) {
    if (chosen != nullptr && &command != chosen) continue;
    CLI::App& app = add_command(line, command);
    if (chosen != nullptr) line.action = command.configure(CommandSyntax(app));
  }
  if (chosen == nullptr) add_words(line);
  add_environment_twins(line.app);
  parse_words(line.app, std::move(arguments));
}

void resolve_database(GlobalOptions& globals) {
  const char* common = std::getenv("DATABASE_URL");
  if (globals.database_url.empty() && common != nullptr) globals.database_url = common;
  if (globals.direct_url.empty()) globals.direct_url = globals.database_url;
}

// Everybody's ps shows argv. Called as early as possible: until then the password was visible.
void hide_passwords(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    for (const std::string_view flag : {"--database-url", "--direct-url", "--read-url"}) {
      const std::string_view argument = argv[i];
      if (!argument.starts_with(flag)) continue;
      char* value = nullptr;
      if (argument.size() == flag.size() && i + 1 < argc) value = argv[i + 1];
      if (argument.substr(flag.size()).starts_with('=')) value = argv[i] + flag.size() + 1;
      if (value != nullptr && may_hold_password(value)) std::fill_n(value, std::strlen(value), '*');
    }
  }
}

// A line break, with the blanks around it, becomes a space.
std::string in_one_line(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  std::string line;
  while (true) {
    const size_t end = text.find('\n');
    std::string_view part = text.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(blanks), part.size()));
    part = part.substr(0, part.find_last_not_of(blanks) + 1);
    if (!line.empty() && !part.empty()) line += ' ';
    line += part;
    if (end == std::string_view::npos) return line;
    text.remove_prefix(end + 1);
  }
}

int fail(ExitCode code, std::string_view message) {
  std::fprintf(stderr, "sluice: %s\n", harmless(in_one_line(message), false).c_str());
  return static_cast<int>(code);
}

// "id is required" is "ID is required", as in the help, and "Could not convert: id = abc" is "ID is
// a number, not abc".
std::string in_our_words(const CLI::App& app, std::string text) {
  constexpr std::string_view unread = "Could not convert: ";
  if (const size_t equals = text.find(" = "); text.starts_with(unread) && equals < text.size()) {
    text.replace(equals, 3, " is a number, not ").erase(0, unread.size());
  }
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const std::string& shown = option->get_option_text();
    const bool is_flag = option->nonpositional();
    if (is_flag || !text.starts_with(name + " ") || shown.empty() || std::islower(shown[0]))
      continue;
    return text.replace(0, name.size(), shown.substr(0, shown.find(' ')));
  }
  return text;
}

// What CLI11 says is wrong, and whose help says how it is right.
std::string usage_problem(CommandLine& line, const CLI::ParseError& error) {
  std::string path;
  const CLI::App& app = innermost(line.app, path);
  return fmt::format("{}; see sluice {}{}--help", in_our_words(app, error.what()), path,
                     path.empty() ? "" : " ");
}

// A disk that is full refuses what was printed when it leaves the buffer, here at the latest.
int end(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const int failure = fail(ExitCode::failure, "standard output takes no more");
  return code == 0 ? failure : code;
}

}  // namespace

CommandDescription describe_command_line() {
  CommandLine line;
  set_up(line);
  std::vector<Action> actions;  // own what the flags are bound to
  for (const Command& command : commands()) {
    actions.push_back(command.configure(CommandSyntax(add_command(line, command))));
  }
  add_words(line);
  add_environment_twins(line.app);
  CommandDescription described = describe(line.app);
  for (CommandDescription& nested : described.nested) {
    nested.is_verbatim = std::any_of(
        commands().begin(), commands().end(),
        [&](const Command& command) { return command.verbatim && command.name == nested.name; });
    if (nested.is_verbatim) nested.flags.clear();  // not even --help is ours
  }
  return described;
}

int run_command_line(int argc, char** argv) {
  CommandLine line;
  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    hide_passwords(argc, argv);
    parse(line, std::move(arguments));
    resolve_database(line.globals);
    configure_log(line.globals.log_level, line.globals.log_format);
    return end(static_cast<int>(line.action(line.globals)));
  } catch (const CLI::Success& help) {
    return end(line.app.exit(help));
  } catch (const CLI::ParseError& error) {
    return fail(ExitCode::usage, usage_problem(line, error));
  } catch (const CommandError& error) {
    return fail(error.code(), error.what());
  } catch (const std::exception& error) {
    return fail(ExitCode::failure, error.what());
  }
}

}  // namespace sluice
