#include "cli/completion.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sluice {
namespace {

CommandDescription command_line() {
  const FlagDescription help{.names = {"-h", "--help"}, .help = "Print this"};
  const FlagDescription level{
      .names = {"--log-level"}, .value = "LEVEL", .choices = {"info", "off"}};
  const FlagDescription scope{
      .names = {"--scope"}, .value = "A,B", .choices = {"read", "submit"}, .is_list = true};
  const FlagDescription file{.names = {"--tls-key"}, .value = "FILE"};
  const FlagDescription shell{.value = "bash | zsh", .choices = {"bash", "zsh"}};
  const CommandDescription create{.name = "create", .help = "Make a key", .flags = {help, scope}};
  const CommandDescription ls{.name = "ls", .help = "All keys", .flags = {help}};
  return {.name = "sluice",
          .flags = {help, level},
          .nested = {{.name = "key", .flags = {help}, .nested = {create, ls}},
                     {.name = "serve", .help = "The HTTP API", .flags = {help, file}},
                     {.name = "completion", .flags = {help}, .arguments = {shell}},
                     {.name = "psql", .flags = {help}, .is_verbatim = true},
                     {.name = "help"}}};
}

// The candidates, "+file" behind them where names of files are wanted.
std::string completed(const std::vector<std::string>& words) {
  const Completion found = complete(command_line(), words);
  std::vector<std::string> names;
  for (const Candidate& candidate : found.candidates) names.push_back(candidate.word);
  if (found.wants_file) names.emplace_back("+file");
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

TEST_CASE("commands are completed, and commands of commands") {
  CHECK(completed({""}) == "key serve completion psql help");
  CHECK(completed({"s"}) == "serve");
  CHECK(completed({"key", ""}) == "create ls");
  CHECK(completed({"help", "key", "l"}) == "ls");
  CHECK(completed({"key", "ls", ""}).empty());
  CHECK(completed({"none", ""}) == "key serve completion psql help");
  CHECK(completed({}).empty());
}

TEST_CASE("flags are the command's and those of all, each once") {
  CHECK(completed({"key", "create", "--"}) == "--help --scope --log-level");
  CHECK(completed({"key", "create", "--s"}) == "--scope");
  CHECK(completed({"--log"}) == "--log-level");
  CHECK(completed({"-"}) == "--help --log-level");
  CHECK(completed({"help", "-"}).empty());
}

TEST_CASE("a flag's value is one of its choices, a file, or anything") {
  CHECK(completed({"serve", "--log-level", ""}) == "info off");
  CHECK(completed({"--log-level", "info", "se"}) == "serve");
  CHECK(completed({"--log-level=info", "se"}) == "serve");
  CHECK(completed({"--log-level=o"}) == "--log-level=off");
  CHECK(completed({"serve", "--tls-key", ""}) == "+file");
  CHECK(completed({"serve", "--tls-key="}) == "+file");
  CHECK(completed({"serve", "--tls-key", "--help", "--t"}) == "--tls-key");
  CHECK(completed({"serve", "--none="}).empty());
}

TEST_CASE("a list goes on behind its last comma") {
  CHECK(completed({"key", "create", "--scope", "read,"}) == "read,read read,submit");
  CHECK(completed({"key", "create", "--scope=read,s"}) == "--scope=read,submit");
}

TEST_CASE("an argument is completed, also behind --") {
  CHECK(completed({"completion", "z"}) == "zsh");
  CHECK(completed({"completion", "--", "b"}) == "bash");
}

TEST_CASE("what follows a wrapped program's name is not ours") {
  CHECK(completed({"psql", "--"}).empty());
  CHECK(completed({"psql", "key", ""}).empty());
}

TEST_CASE("there is a script for each shell that is known") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    CHECK(completion_script(shell).find("complete") != std::string_view::npos);
  }
  CHECK(completion_script("csh").empty());
}

}  // namespace sluice
