// Finds requests that are ambiguous: another reader of the same bytes (a proxy before us) could see
// its end, its host or its headers elsewhere, and take what follows for something else. Pure; it
// reads the headers that libmicrohttpd has parsed and knows nothing of connections.
//
// Source: RFC 9112, sections 3.2, 5.1, 6.1, 6.3; RFC 9110, section 15.5.12.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/http_fields.h"

namespace sluice {

// Why a request is not read: `status` of the answer, and `message`, for people.
struct RequestProblem {
  int status;
  std::string_view message;
};

// nullopt: nothing is wrong. `version`: "HTTP/1.1". `headers`: names in lower case, repeated ones
// one by one. 411 where nothing says how long the body is of a method that has one: libmicrohttpd
// 0.9.75 joins a folded line to the name before it, "Content-Length:\r\n 41" becomes a header
// called Content-Length41, and it takes the body for the next request.
std::optional<RequestProblem> request_problem(std::string_view method, std::string_view version,
                                              const HttpFields& headers);

// The fault of a request's target, its path and query as sent; nullopt: none. Each
// argument takes some 64 bytes of the connection's memory: libmicrohttpd 0.9.75 never answers when
// there is no room for one, so both bounds keep clear of that.
std::optional<RequestProblem> target_problem(std::string_view target, size_t bytes_max);

// `text` with each %XX replaced by its byte; nullopt when one is malformed or stands for NUL.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace sluice
