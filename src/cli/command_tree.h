// The command line as data: what the manual and completion are made of. It is read from the objects
// of CLI11 that parse the command line and print --help, so a flag is described in one place.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sluice {

// A flag; or an argument, which has a place instead of names.
struct FlagDescription {
  std::vector<std::string> names = {};  // "-h", "--help"; of an argument none
  std::string value = {};               // as --help shows it: "N [400]"; empty: it takes none
  std::string help = {};
  std::string variable = {};              // that it is also read from; empty: none
  std::vector<std::string> choices = {};  // the only values there are; empty: any
  bool is_list = false;                   // several values, with commas between them
  bool is_required = false;
};

struct CommandDescription {
  std::string name = {};
  std::string help = {};
  std::string footer = {};
  std::vector<FlagDescription> flags = {};
  std::vector<FlagDescription> arguments = {};
  std::vector<CommandDescription> nested = {};
  bool is_verbatim = false;  // what follows its name is a wrapped program's
};

// Without what --help does not show.
CommandDescription describe(const CLI::App& app);

}  // namespace sluice
