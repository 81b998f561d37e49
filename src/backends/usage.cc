#include "backends/usage.h"

#include <algorithm>
#include <limits>
#include <span>

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

// Absent where it is 0, as for most calls.
Count part_of(const element& object, std::initializer_list<std::string_view> names) {
  const Count count = first_of(object, names);
  return count == 0 ? std::nullopt : count;
}

constexpr std::string_view input_details[] = {"prompt_tokens_details", "input_tokens_details"};
constexpr std::string_view output_details[] = {"completion_tokens_details",
                                               "output_tokens_details"};

// The first that one of these objects has.
Count detail_of(const element& usage, std::span<const std::string_view> objects,
                std::string_view name) {
  for (const std::string_view object : objects) {
    const auto details = field_of(usage, object);
    if (!details) continue;
    if (const Count count = part_of(*details, {name})) return count;
  }
  return std::nullopt;
}

Usage usage_of_field(const element& usage) {
  Usage found;
  // Anthropic's input_tokens are those after the last cache breakpoint only.
  found.input_tokens =
      sum_of(usage, {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"});
  if (!found.input_tokens) found.input_tokens = count_of(usage, "prompt_tokens");
  found.output_tokens = first_of(usage, {"output_tokens", "completion_tokens"});
  // DeepSeek says prompt_cache_hit_tokens.
  found.cached_tokens = part_of(usage, {"cache_read_input_tokens", "prompt_cache_hit_tokens"});
  if (!found.cached_tokens) found.cached_tokens = detail_of(usage, input_details, "cached_tokens");
  found.cache_write_tokens = part_of(usage, {"cache_creation_input_tokens"});
  if (!found.cache_write_tokens) {
    found.cache_write_tokens = detail_of(usage, input_details, "cache_write_tokens");
  }
  found.reasoning_tokens = detail_of(usage, output_details, "reasoning_tokens");
  return found;
}

}  // namespace

Usage usage_of(const element& body) {
  if (const auto usage = field_of(body, "usage")) return usage_of_field(*usage);
  Usage found;
  if (const auto usage = field_of(body, "usageMetadata")) {
    found.input_tokens = count_of(*usage, "promptTokenCount");
    found.output_tokens = sum_of(*usage, {"candidatesTokenCount", "thoughtsTokenCount"});
    found.cached_tokens = part_of(*usage, {"cachedContentTokenCount"});
    found.reasoning_tokens = part_of(*usage, {"thoughtsTokenCount"});
    return found;
  }
  found.input_tokens = count_of(body, "prompt_eval_count");
  found.output_tokens = count_of(body, "eval_count");
  return found;
}

}  // namespace sluice
