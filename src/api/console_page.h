// The console's page and files over HTTP, and which paths are the console's. They need no key and
// no database, and hold nothing of an installation. Pure.
#pragma once

#include <string_view>

#include "runtime/http_server.h"

namespace sluice {

// What a browser lets the page do. Nothing comes from elsewhere, nothing is inline, no text becomes
// code, and no other page frames it.
inline constexpr std::string_view console_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'self'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

enum class ConsolePlace { none, page, session, api };

ConsolePlace console_place(std::string_view path);
// A browser that looks at "/" is led to the page: so that is a part of it, for a browser.
ConsolePlace console_place(const HttpIncoming& incoming);

// "/v1/tasks" of "/console/v1/tasks"; other paths as they are.
std::string_view api_path(std::string_view path);

// The answer to a look at a path of the page: a file, or index.html for the paths that its script
// knows. 304 where the client has it.
HttpReply console_page(const HttpIncoming& incoming);

// The headers that every answer below /console has.
void add_console_headers(HttpReply& reply);

// Whether `accept`, an Accept-Encoding, takes gzip.
bool takes_gzip(std::string_view accept);

}  // namespace sluice
