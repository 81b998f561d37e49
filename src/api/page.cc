#include "api/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "api/arguments.h"
#include "api/error_reply.h"
#include "json_text.h"

namespace sluice {

std::optional<std::string> argument(const HttpFields& query, std::string_view name) {
  const std::string_view value = find_field(query, name);
  if (value.empty()) return std::nullopt;
  return std::string(value);
}

std::string arguments_json(const HttpFields& query) {
  std::string json = "{";
  for (const auto& [name, value] : query) {
    if (value.empty()) continue;
    if (json.size() > 1) json += ',';
    append_json_string(json, name);
    json += ':';
    append_json_string(json, value);
  }
  return json + '}';
}

std::optional<HttpReply> unknown_argument(const HttpFields& query,
                                          std::span<const std::string_view> known) {
  for (const auto& [name, value] : query) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return bad_argument(name, "unknown argument " + in_quotes(name),
                        fmt::format("The arguments are: {}.", fmt::join(known, ", ")));
  }
  return std::nullopt;
}

std::optional<HttpReply> unknown_value(const HttpFields& query, std::string_view name,
                                       std::span<const std::string_view> values) {
  const auto value = argument(query, name);
  if (!value || std::find(values.begin(), values.end(), *value) != values.end()) {
    return std::nullopt;
  }
  return bad_argument(name, fmt::format("there is no {} {}", name, in_quotes(*value)),
                      fmt::format("It is one of {}.", fmt::join(values, ", ")));
}

std::string page_limit(const HttpFields& query, const Pages& pages) {
  return argument(query, "limit").value_or(std::string(pages.limit_default));
}

std::optional<HttpReply> page_problem(const HttpFields& query, const Pages& pages,
                                      std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> known = {"limit", pages.bound};
  known.insert(known.end(), others);
  if (auto problem = unknown_argument(query, known)) return problem;
  const auto before = argument(query, pages_before.bound);
  if (before && !parse_id(*before)) {
    return bad_argument("before", "before is the id of a row, not " + in_quotes(*before));
  }
  const std::string limit = page_limit(query, pages);
  if (parse_count(limit, 1, pages.limit_max)) return std::nullopt;
  return bad_argument("limit",
                      fmt::format("limit is 1 to {}, not {}", pages.limit_max, in_quotes(limit)));
}

}  // namespace sluice
