// Completion of the command line: what may stand where the cursor is. The shells' scripts ask the
// binary itself, so completion is never older than the flags. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_tree.h"

namespace sluice {

struct Candidate {
  std::string word;
  std::string help;  // one line; may be empty
};

struct Completion {
  std::vector<Candidate> candidates = {};
  bool wants_file = false;  // a file's or a directory's name, which the shell knows better
};

// Params: words: after "sluice", up to the cursor; the last one is being typed and may be empty.
Completion complete(const CommandDescription& root, std::span<const std::string> words);

// For "bash", "zsh" or "fish"; empty for others.
std::string_view completion_script(std::string_view shell);

}  // namespace sluice
