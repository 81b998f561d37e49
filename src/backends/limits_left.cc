#include "backends/limits_left.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace sluice {

namespace {

constexpr int64_t left_max = std::numeric_limits<int32_t>::max();  // PostgreSQL's int

struct LimitHeaders {
  std::string_view left;
  std::string_view limit;
};

std::optional<int64_t> number_in(const HttpFields& headers, std::string_view name) {
  const std::string_view text = find_field(headers, name);
  int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The least of them, for a call needs all.
std::optional<int64_t> least_left(const HttpFields& headers,
                                  std::initializer_list<LimitHeaders> names) {
  std::optional<int64_t> least;
  for (const LimitHeaders& name : names) {
    const auto left = number_in(headers, name.left);
    const auto limit = number_in(headers, name.limit);
    if (!left || *left < 0 || (limit && *left >= *limit / 2)) continue;
    least = std::min(least.value_or(*left), *left);
  }
  return least ? std::optional(std::min(*least, left_max)) : least;
}

}  // namespace

LimitsLeft limits_left(const HttpFields& headers) {
  LimitsLeft left;
  left.requests = least_left(
      headers, {{"x-ratelimit-remaining-requests", "x-ratelimit-limit-requests"},
                {"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-limit"}});
  left.tokens = least_left(
      headers, {{"x-ratelimit-remaining-tokens", "x-ratelimit-limit-tokens"},
                {"x-ratelimit-remaining-project-tokens", "x-ratelimit-limit-project-tokens"},
                {"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-limit"}});
  return left;
}

}  // namespace sluice
