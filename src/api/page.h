// The arguments of listings: those that every one takes say which page, and how long. Pure.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/http_server.h"

namespace sluice {

// The argument's value; nullopt when it is missing or empty.
std::optional<std::string> argument(const HttpFields& query, std::string_view name);

// All arguments that are not empty as a JSON object of strings.
std::string arguments_json(const HttpFields& query);

// 400 for the first argument that is not in `known`.
std::optional<HttpReply> unknown_argument(const HttpFields& query,
                                          std::span<const std::string_view> known);

// 400 if there is an argument `name` that is none of `values`.
std::optional<HttpReply> unknown_value(const HttpFields& query, std::string_view name,
                                       std::span<const std::string_view> values);

// What the pages of a listing are like.
struct Pages {
  std::string_view bound;  // the argument that says where a page begins
  std::string_view limit_default;
  int limit_max;
};

inline constexpr Pages pages_after = {"after", "20", 100};    // the "next" of a page
inline constexpr Pages pages_before = {"before", "50", 200};  // an id

// Its `limit` as a parameter. Requires: page_problem() found none.
std::string page_limit(const HttpFields& query, const Pages& pages);

// Why `query` asks for no page: an argument beside limit, the bound and `others`, or one of these
// two that cannot be.
std::optional<HttpReply> page_problem(const HttpFields& query, const Pages& pages,
                                      std::initializer_list<std::string_view> others);

}  // namespace sluice
