// The manual: a page for sluice(1) and one for each command, as man(7) reads them. Pure functions.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace sluice {

// "sluice-worker"; of the root "sluice".
std::string manual_name(const CommandDescription& root, const CommandDescription& command);

// Params: command: `root` itself or one of its nested commands.
std::string manual_page(const CommandDescription& root, const CommandDescription& command);

}  // namespace sluice
