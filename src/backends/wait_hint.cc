#include "backends/wait_hint.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include "duration.h"
#include "runtime/http_date.h"
#include "runtime/http_fields.h"

namespace sluice {

namespace {

using Wait = std::optional<int64_t>;

// Larger numbers of seconds are instants: a wait of 30 years is none.
constexpr double epoch_s_min = 1e9;
constexpr double epoch_ms_min = 1e12;

Wait clamped_ms(double wait_ms) {
  if (!(wait_ms >= 0)) return std::nullopt;  // also NaN
  return static_cast<int64_t>(std::min(wait_ms, static_cast<double>(wait_hint_ms_max)));
}

Wait until_ms(double instant_unix_ms, int64_t now_unix_ms) {
  return clamped_ms(std::max(0.0, instant_unix_ms - static_cast<double>(now_unix_ms)));
}

// Takes a decimal number off the front; no sign, no "inf", no "nan".
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc::result_out_of_range) number = HUGE_VAL;
  if (failed == std::errc::invalid_argument) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// Takes exactly `digits` digits off the front.
std::optional<int> take_digits(std::string_view& text, size_t digits) {
  int number = 0;
  if (text.size() < digits) return std::nullopt;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "6m0s", "41ms", "58s": Go's form, which OpenAI and Google use.
Wait duration_ms(std::string_view text) {
  double sum_ms = 0;
  while (!text.empty()) {
    const auto next = take_duration(text);
    if (!next) return std::nullopt;
    sum_ms += next->ns() / 1e6;
  }
  return clamped_ms(sum_ms);
}

std::optional<double> unix_ms_of(int year, int month, int day, double second_of_day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return (static_cast<double>(days) * 86'400 + second_of_day) * 1e3;
}

// "08:49:37", off the front: the second of the day.
std::optional<double> take_clock(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

// RFC 3339: "2026-11-21T08:49:37.5Z", or with an offset.
std::optional<double> rfc3339_unix_ms(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !(take(text, "T") || take(text, "t") || take(text, " "))) return std::nullopt;
  auto second = take_clock(text);
  if (!second) return std::nullopt;
  if (take(text, ".")) {
    double place = 0.1;
    for (auto digit = take_digits(text, 1); digit; digit = take_digits(text, 1)) {
      *second += *digit * std::exchange(place, place / 10);
    }
  }
  if (text != "Z" && text != "z") {
    const int sign = text.starts_with('-') ? -1 : 1;
    if (!take(text, "+") && !take(text, "-")) return std::nullopt;
    const auto hours = take_digits(text, 2);
    if (!hours || !take(text, ":")) return std::nullopt;
    const auto minutes = take_digits(text, 2);
    if (!minutes || !text.empty()) return std::nullopt;
    *second -= sign * (*hours * 3600 + *minutes * 60);
  }
  return unix_ms_of(*year, *month, *day, *second);
}

Wait reset_ms(const HttpFields& headers, int64_t now_unix_ms) {
  struct Limit {
    std::string_view left, reset;
  };
  constexpr Limit limits[] = {
      {"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
      {"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
      {"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
      {"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
      {"anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"},
      {"anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"}};
  Wait longest;
  for (const Limit& limit : limits) {
    if (find_field(headers, limit.left) != "0") continue;
    const Wait wait = parse_wait_ms(find_field(headers, limit.reset), now_unix_ms);
    if (wait) longest = std::max(longest.value_or(0), *wait);
  }
  return longest;
}

}  // namespace

Wait parse_wait_ms(std::string_view text, int64_t now_unix_ms) {
  text = trim(text, " \t");
  std::string_view rest = text;
  const auto number = take_number(rest);
  if (number && rest.empty()) {
    if (*number >= epoch_ms_min && std::isfinite(*number)) return until_ms(*number, now_unix_ms);
    if (*number >= epoch_s_min && std::isfinite(*number)) {
      return until_ms(*number * 1e3, now_unix_ms);
    }
    return clamped_ms(*number * 1e3);
  }
  if (!text.empty() && number) {
    if (const Wait wait = duration_ms(text)) return wait;
  }
  if (const auto instant = rfc3339_unix_ms(text)) return until_ms(*instant, now_unix_ms);
  if (const auto instant_s = http_date_unix_s(text)) {
    return until_ms(static_cast<double>(*instant_s) * 1e3, now_unix_ms);
  }
  return std::nullopt;
}

Wait wait_hint_ms(const HttpResponse& response, std::string_view body_hint) {
  const auto date_s = http_date_unix_s(find_field(response.headers, "date"));
  const int64_t now_unix_ms = date_s ? *date_s * 1000 : response.received_unix_ms;
  std::string_view ms = trim(find_field(response.headers, "retry-after-ms"), " \t");
  const auto exact = take_number(ms);
  if (exact && ms.empty()) return clamped_ms(*exact);
  for (const std::string_view hint : {find_field(response.headers, "retry-after"), body_hint}) {
    if (const Wait wait = parse_wait_ms(hint, now_unix_ms)) return wait;
  }
  return reset_ms(response.headers, now_unix_ms);
}

}  // namespace sluice
