#include "api/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "api/arguments.h"
#include "api/error_reply.h"
#include "json_text.h"

namespace sluice {
namespace {

constexpr std::string_view limit_default = "20";
constexpr int limit_max = 100;

}  // namespace

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

std::string page_limit(const HttpFields& query) {
  return std::string(find_field(query, "limit", limit_default));
}

std::optional<HttpReply> page_problem(const HttpFields& query,
                                      std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> known = {"limit", "after"};
  known.insert(known.end(), others);
  if (const std::string_view name = unknown_argument(query, known); !name.empty()) {
    return bad_argument(name, "unknown argument " + in_quotes(name),
                        fmt::format("The arguments are: {}.", fmt::join(known, ", ")));
  }
  const std::string limit = page_limit(query);
  if (parse_count(limit, 1, limit_max)) return std::nullopt;
  return bad_argument("limit",
                      fmt::format("limit is 1 to {}, not {}", limit_max, in_quotes(limit)));
}

}  // namespace sluice
