// Small pure functions over text that more than one backend needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// `text` with every NUL and every byte that is not UTF-8 replaced by U+FFFD, so that PostgreSQL
// stores it: one poisoned answer must not fail the flush it travels in. Untouched text is moved
// through.
std::string harmless_text(std::string text);

// At most `bytes_max` bytes of harmless text, control characters as spaces, for errors and logs.
std::string error_text(std::string_view text, size_t bytes_max);

}  // namespace sluice
