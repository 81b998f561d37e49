// The commands that tell of all the others: completion, complete and manual.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "cli/syntax.h"
#include "command_error.h"

namespace sluice {
namespace {

ExitCode print_completion(const GlobalOptions& globals) {
  const Completion found = complete(describe_command_line(), globals.verbatim);
  for (const Candidate& candidate : found.candidates) {
    fmt::print("{}\t{}\n", candidate.word, candidate.help);
  }
  if (found.wants_file) fmt::print(":file\n");
  return ExitCode::ok;
}

// "help" and "version" are words for flags.
bool has_page(const CommandDescription& command) {
  return command.name != "help" && command.name != "version";
}

ExitCode print_page(const CommandDescription& root, const std::string& name) {
  if (name.empty()) {
    fmt::print("{}", manual_page(root, root));
    return ExitCode::ok;
  }
  for (const CommandDescription& command : root.nested) {
    if (command.name != name || !has_page(command)) continue;
    fmt::print("{}", manual_page(root, command));
    return ExitCode::ok;
  }
  throw CommandError(ExitCode::usage, fmt::format("unknown command: {}; see sluice --help", name));
}

void write_page(const std::filesystem::path& directory, const CommandDescription& root,
                const CommandDescription& command) {
  const std::filesystem::path path = directory / (manual_name(root, command) + ".1");
  std::ofstream file(path);
  file << manual_page(root, command);
  file.close();
  if (!file) {
    throw CommandError(ExitCode::failure, fmt::format("cannot write {}", path.string()));
  }
}

ExitCode write_pages(const CommandDescription& root, const std::string& directory) {
  write_page(directory, root, root);
  for (const CommandDescription& command : root.nested) {
    if (has_page(command)) write_page(directory, root, command);
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_completion(CommandSyntax syntax) {
  const auto shell = std::make_shared<std::string>();
  syntax.add_option("shell", *shell, "what the script is for")
      .required()
      .one_of({"bash", "zsh", "fish"})
      .option_text("bash | zsh | fish");
  syntax.footer(R"(For this shell, and for good:
  bash . <(sluice completion bash)
       sluice completion bash >~/.local/share/bash-completion/completions/sluice
  zsh  . <(sluice completion zsh)
       sluice completion zsh >DIR/_sluice, where DIR is one of $fpath
  fish sluice completion fish | source
       sluice completion fish >~/.config/fish/completions/sluice.fish)");
  return [shell](const GlobalOptions&) {
    fmt::print("{}", completion_script(*shell));
    return ExitCode::ok;
  };
}

Action configure_complete(CommandSyntax) {
  return print_completion;
}

Action configure_manual(CommandSyntax syntax) {
  struct ManualOptions {
    std::string command;
    std::string directory;
  };
  const auto options = std::make_shared<ManualOptions>();
  const FlagSyntax command =
      syntax.add_option("command", options->command, "whose page is printed [sluice's own]")
          .option_text("COMMAND");
  syntax.add_option("--dir", options->directory, "write all pages there, as sluice-worker.1")
      .excludes(command)
      .keep_from_environment()  // no variable makes it write files
      .option_text("DIR");
  syntax.footer("To read a page: sluice manual worker | man -l -");
  return [options](const GlobalOptions&) {
    const CommandDescription root = describe_command_line();
    return options->directory.empty() ? print_page(root, options->command)
                                      : write_pages(root, options->directory);
  };
}

}  // namespace sluice
