#include "backends/usage.h"

#include <algorithm>
#include <limits>

#include "backends/json_fields.h"

namespace sluice {

namespace {

using simdjson::dom::element;
using Count = std::optional<int64_t>;

constexpr int64_t tokens_max = std::numeric_limits<int32_t>::max();

// Some servers write 12.0.
Count count_of(const element& object, std::string_view name) {
  double number = 0;
  if (object[name].get(number) != simdjson::SUCCESS || number < 0) return std::nullopt;
  return static_cast<int64_t>(std::min(number, static_cast<double>(tokens_max)));
}

Count first_of(const element& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Count count = count_of(object, name)) return count;
  }
  return std::nullopt;
}

// Counts that add up; nullopt if there is none.
Count sum_of(const element& object, std::initializer_list<std::string_view> names) {
  Count sum;
  for (const std::string_view name : names) {
    if (const Count count = count_of(object, name)) {
      sum = std::min(sum.value_or(0) + *count, tokens_max);
    }
  }
  return sum;
}

}  // namespace

Usage usage_of(const element& body) {
  if (const auto usage = field_of(body, "usage")) {
    // Anthropic's input_tokens are those after the last cache breakpoint only.
    Count input =
        sum_of(*usage, {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"});
    if (!input) input = count_of(*usage, "prompt_tokens");
    return Usage{input, first_of(*usage, {"output_tokens", "completion_tokens"})};
  }
  if (const auto usage = field_of(body, "usageMetadata")) {
    return Usage{count_of(*usage, "promptTokenCount"),
                 sum_of(*usage, {"candidatesTokenCount", "thoughtsTokenCount"})};
  }
  return Usage{count_of(body, "prompt_eval_count"), count_of(body, "eval_count")};
}

}  // namespace sluice
