#include "cli/completion.h"

#include <algorithm>

namespace sluice {
namespace {

// The scripts run `sluice complete WORDS`, which answers a line for each candidate: the word, a tab
// and its help; ":file" stands for the names of files.

// Readline cuts words at = and :, so they are put together for the binary, and what stood before
// the last cut is taken away from its answers.
constexpr std::string_view bash_script = R"(# Completion of sluice for bash.
_sluice() {
  local words=() typed=${COMP_WORDS[COMP_CWORD]} line i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if ((${#words[@]})) && [[ "${COMP_WORDS[i]}" == [=:]* || "${COMP_WORDS[i - 1]}" == *[=:] ]]; then
      words[-1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
  [[ $typed != [=:]* ]] || typed=
  local before=${words[-1]%"$typed"}
  COMPREPLY=()
  while IFS= read -r line; do
    line=${line%%$'\t'*}
    case $line in
      :file) compopt -o default ;;
      *) COMPREPLY+=("${line#"$before"}") ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" complete "${words[@]}" 2>/dev/null)
}
complete -F _sluice sluice
)";

constexpr std::string_view zsh_script = R"(#compdef sluice
# Completion of sluice for zsh.
_sluice() {
  local line word help
  local -a candidates
  for line in "${(@f)$("${words[1]/#\~/$HOME}" complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${line%%$'\t'*} help=${line#*$'\t'}
    case $word in
      '') ;;
      :file) _files ;;
      *) candidates+=("${word//:/\\:}${help:+:$help}") ;;
    esac
  done
  (( ! $#candidates )) || _describe sluice candidates
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
)";

constexpr std::string_view fish_script = R"(# Completion of sluice for fish.
function __sluice_complete
    set -l words (commandline --tokenize --current-process --cut-at-cursor)
    set -l typed (commandline --current-token --cut-at-cursor)
    for line in ($words[1] complete $words[2..] "$typed" 2>/dev/null)
        if string match --quiet ':file*' -- $line
            __fish_complete_path "$typed"
        else
            echo $line
        end
    end
end
complete --command sluice --no-files --arguments '(__sluice_complete)'
)";

bool names_a_file(const FlagDescription& flag) {
  return flag.value.starts_with("FILE") || flag.value.starts_with("DIR");
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Where in the command line the cursor is.
class Cursor {
 public:
  explicit Cursor(const CommandDescription& root) : path_{&root} {}

  // Goes over a word that is whole.
  void pass(const std::string& word) {
    if (awaited_ != nullptr) {
      awaited_ = nullptr;
    } else if (path_.back()->is_verbatim) {
      return;
    } else if (ends_flags(word)) {
      flags_ended_ = true;
    } else if (!flags_ended_ && word.starts_with('-')) {
      const FlagDescription* flag = find_flag(word);
      if (flag != nullptr && !flag->value.empty()) awaited_ = flag;
    } else if (const CommandDescription* nested = find_nested(word)) {
      path_.push_back(nested);
    } else {
      ++arguments_;
    }
  }

  Completion complete(const std::string& word) const {
    if (path_.back()->is_verbatim) return {};
    if (awaited_ != nullptr) return values(*awaited_, "", word);
    if (!flags_ended_ && word.starts_with("--") && word.find('=') != std::string::npos) {
      const size_t begin = word.find('=') + 1;
      const FlagDescription* flag = find_flag(word.substr(0, begin - 1));
      if (flag == nullptr || flag->value.empty()) return {};
      return values(*flag, word.substr(0, begin), word.substr(begin));
    }
    if (!flags_ended_ && word.starts_with('-')) return flags(word);
    return names_or_values(word);
  }

 private:
  // "--", and `help`, which names of commands follow.
  bool ends_flags(const std::string& word) const {
    return !flags_ended_ && (word == "--" || (path_.size() == 1 && word == "help"));
  }

  const FlagDescription* find_flag(const std::string& name) const {
    for (auto command = path_.rbegin(); command != path_.rend(); ++command) {
      for (const FlagDescription& flag : (*command)->flags) {
        if (std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end()) return &flag;
      }
    }
    return nullptr;
  }

  const CommandDescription* find_nested(const std::string& name) const {
    for (const CommandDescription& nested : path_.back()->nested) {
      if (nested.name == name) return &nested;
    }
    return nullptr;
  }

  // Of the innermost command and of those around it, whose flags it takes as well.
  Completion flags(const std::string& begun) const {
    Completion found;
    for (auto command = path_.rbegin(); command != path_.rend(); ++command) {
      for (const FlagDescription& flag : (*command)->flags) {
        for (const std::string& name : flag.names) {
          const bool is_known = std::any_of(found.candidates.begin(), found.candidates.end(),
                                            [&](const Candidate& c) { return c.word == name; });
          if (name.starts_with("--") && name.starts_with(begun) && !is_known) {
            found.candidates.push_back({name, first_line(flag.help)});
          }
        }
      }
    }
    return found;
  }

  Completion names_or_values(const std::string& begun) const {
    const CommandDescription& command = *path_.back();
    if (command.nested.empty()) {
      if (command.arguments.empty()) return {};
      // What comes after the last one can only be more of it.
      return values(command.arguments[std::min(arguments_, command.arguments.size() - 1)], "",
                    begun);
    }
    Completion found;
    for (const CommandDescription& nested : command.nested) {
      if (nested.name.starts_with(begun)) found.candidates.push_back({nested.name, nested.help});
    }
    return found;
  }

  // Params: before: what of the word is settled, such as "--scope=".
  static Completion values(const FlagDescription& flag, std::string before, std::string begun) {
    Completion found;
    found.wants_file = names_a_file(flag);
    const size_t comma = flag.is_list ? begun.rfind(',') : std::string::npos;
    if (comma != std::string::npos) {
      before += begun.substr(0, comma + 1);
      begun.erase(0, comma + 1);
    }
    for (const std::string& choice : flag.choices) {
      if (choice.starts_with(begun)) found.candidates.push_back({before + choice, ""});
    }
    return found;
  }

  std::vector<const CommandDescription*> path_;  // never empty
  const FlagDescription* awaited_ = nullptr;     // its value comes next
  size_t arguments_ = 0;                         // so many were passed
  bool flags_ended_ = false;
};

}  // namespace

Completion complete(const CommandDescription& root, std::span<const std::string> words) {
  if (words.empty()) return {};
  Cursor cursor(root);
  for (const std::string& word : words.first(words.size() - 1)) cursor.pass(word);
  return cursor.complete(words.back());
}

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script;
  if (shell == "zsh") return zsh_script;
  if (shell == "fish") return fish_script;
  return {};
}

}  // namespace sluice
