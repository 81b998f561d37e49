// The SQL files of the tree as they were when this binary was built. It owns their text and nothing
// else: what to run, and in which order, is migrate's business.
#pragma once

#include <span>
#include <string_view>

namespace sluice {

struct SqlFile {
  std::string_view name;    // file name without folder: 0001_roles_and_schema.sql
  std::string_view text;    // UTF-8, as it stands in the tree
  std::string_view sha256;  // of the text, 64 hexadecimal digits
};

// In the order of application: migrations by name, of functions what is called before its caller.
std::span<const SqlFile> embedded_migrations();
std::span<const SqlFile> embedded_functions();

}  // namespace sluice
