#include "db/sql_message.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace sluice {
namespace {

// Constraints whose names are not all that one must know.
constexpr std::pair<std::string_view, std::string_view> facts[] = {
    {"url_is_http", "url is http://… or https://…, without white space"},
    {"secret_is_a_reference", "secret is a reference: env:NAME or file:/path"},
    {"backoff_grows",
     "backoff_base is above 0, backoff_max at least backoff_base and at most 1 day"},
    {"breaker_counts_are_positive", "breaker_failures and breaker_successes are at least 1"},
    {"hedging_is_bounded", "hedge_after is above 0, hedge_max 1 to 10, hedge_budget 0 to 1"},
    {"prices_are_not_negative", "input_price and output_price are at least 0"},
    {"prices_are_whole_nano_units_and_0_or_at_least_1000",
     "prices are 0, or 0.000001 to 1000000000 and whole nano-units"},
    {"scope_is_known", "scope is one of system, model, route, tenant, key and tag"},
    {"subject_is_given_but_for_the_system",
     "subject is needed but with scope system, which takes none"},
    {"a_tag_is_key_and_value", "subject of scope tag is key=value"},
    {"period_is_known", "period is one of day, week, month and rolling"},
    {"rolling_is_given_for_its_period", "rolling goes with period rolling, and only with it"},
    {"at_limit_is_known", "at_limit is one of park, refuse and reroute"},
    {"reroute_names_a_model", "reroute_to goes with at_limit reroute, and only with it"},
    {"scopes_are_known", "scopes are some of submit, read and admin"},
};

// Every field begins a line with its label in capitals and ":  "; "LINE 1: " has one space only.
bool begins_field(std::string_view line) {
  const size_t label = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (label == 0 || label == std::string_view::npos) return false;
  return line.substr(label, 3) == ":  " || line.substr(0, 5) == "LINE ";
}

void append_line(std::string& field, std::string_view line) {
  if (!field.empty()) field += ' ';
  field += line;
}

// "Known are a, b" begins small there; "POST" and "SL004" stay.
std::string in_mid_sentence(std::string text) {
  const auto is_capital = [&](size_t at) {
    return at < text.size() && std::isupper(static_cast<unsigned char>(text[at])) != 0;
  };
  if (is_capital(0) && !is_capital(1)) text[0] = static_cast<char>(std::tolower(text[0]));
  return text;
}

}  // namespace

SqlMessage parse_sql_message(std::string_view text) {
  SqlMessage message;
  std::string dropped;
  std::string* field = &message.primary;
  bool first = true;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    // The first line's label is the severity, which the server may have translated.
    const size_t colon = line.find(":  ");
    if (first && colon != std::string_view::npos) {
      line.remove_prefix(colon + 3);
    } else if (!first && begins_field(line)) {
      field = line.starts_with("DETAIL:") ? &message.detail
              : line.starts_with("HINT:") ? &message.hint
                                          : &dropped;
      if (field != &dropped) line.remove_prefix(colon + 3);
    }
    first = false;
    if (!line.empty()) append_line(*field, line);
  }
  return message;
}

std::string_view violated_check(std::string_view primary) {
  constexpr std::string_view before = "violates check constraint \"";
  const size_t begin = primary.find(before);
  if (begin == std::string_view::npos) return {};
  primary.remove_prefix(begin + before.size());
  return primary.substr(0, primary.find('"'));
}

size_t misread_parameter(std::string_view text) {
  constexpr std::string_view before = "CONTEXT:  unnamed portal parameter $";
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos) return 0;
  text.remove_prefix(begin + before.size());
  size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool concerns(std::string_view constraint, std::string_view column) {
  return constraint.starts_with(column) && constraint.substr(column.size()).starts_with('_');
}

std::string fact_of(std::string_view constraint, std::string_view column) {
  for (const auto& [name, fact] : facts) {
    if (name == constraint) return std::string(fact);
  }
  std::string words(constraint.substr(column.size()));
  std::replace(words.begin(), words.end(), '_', ' ');
  return std::string(column) + words;
}

std::string one_line(const SqlMessage& message) {
  const std::string_view check = violated_check(message.primary);
  if (!check.empty()) return fact_of(check);  // its hint says the same in SQL
  const std::string said = message.primary;
  if (message.hint.empty()) return said;
  std::string_view hint = message.hint;
  if (hint.ends_with('.')) hint.remove_suffix(1);
  return said + " (" + in_mid_sentence(std::string(hint)) + ")";
}

}  // namespace sluice
