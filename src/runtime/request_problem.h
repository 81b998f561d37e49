// What makes a request ambiguous: another reader of the same bytes (a proxy before us) could see
// its end, its host or its headers elsewhere, and take what follows for something else. Pure; it
// reads the headers that libmicrohttpd has parsed and knows nothing of connections.
//
// Source: RFC 9112, sections 3.2, 5.1, 6.1, 6.3.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/http_fields.h"

namespace sluice {

// What is wrong, for people; empty if nothing is. `version`: "HTTP/1.1". `headers`: names in lower
// case, repeated ones one by one.
std::string_view request_problem(std::string_view version, const HttpFields& headers);

// `text` with each %XX replaced by its byte; nullopt when one is malformed or stands for NUL.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace sluice
