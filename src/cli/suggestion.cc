#include "cli/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sluice {
namespace {

constexpr size_t slips_max = 2;
constexpr size_t word_bytes_max = 64;  // longer than any name of ours: nobody's slip of a key

// How many letters are too much, missing, wrong, or swapped with their neighbour.
size_t slips_between(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last;
  std::vector<size_t> last(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::vector<size_t> row(b.size() + 1, i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  if (word.empty() || word.size() > word_bytes_max) return {};
  std::string_view found;
  size_t fewest = std::min(slips_max, (word.size() - 1) / 2) + 1;
  for (const std::string_view name : known) {
    const size_t slips = slips_between(word, name);
    if (slips >= fewest) continue;
    fewest = slips;
    found = name;
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::string_view otherwise, std::string_view prefix) {
  const std::string_view name = nearest(word, known);
  return name.empty() ? std::string(otherwise) : fmt::format("; did you mean {}{}?", prefix, name);
}

}  // namespace sluice
