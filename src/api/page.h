// The arguments that every listing takes: which page, and how long. Pure.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/http_server.h"

namespace sluice {

// The argument's value; nullopt when it is missing or empty.
std::optional<std::string> argument(const HttpFields& query, std::string_view name);

// All arguments that are not empty as a JSON object of strings.
std::string arguments_json(const HttpFields& query);

// Its `limit`, 1 to 100, as a parameter. Requires: page_problem() found none.
std::string page_limit(const HttpFields& query);

// Why `query` asks for no page: an argument beside limit, after and `others`, or a limit out of its
// bounds.
std::optional<HttpReply> page_problem(const HttpFields& query,
                                      std::initializer_list<std::string_view> others);

}  // namespace sluice
