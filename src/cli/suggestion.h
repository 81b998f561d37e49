// Suggestions for a mistyped name. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sluice {

// The known name that is nearest to `word`: at most two slips away (a letter too much, missing,
// wrong, or two swapped) and less than half of it; empty when none is.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

// "; did you mean PREFIX NAME?", or `otherwise` when no name is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::string_view otherwise, std::string_view prefix = {});

}  // namespace sluice
