// Numbers of things, in words.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice {

// "1 task", "2 tasks".
template <typename Number>
std::string counted(Number n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

}  // namespace sluice
