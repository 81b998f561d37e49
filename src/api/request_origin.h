// Which page made the browser send a request, as far as its headers tell. Pure.
//
// Browsers say it in Sec-Fetch-Site, which no script can set, but only to addresses that they take
// for safe: https and this machine. Elsewhere Origin says it, of all that is no mere look.
#pragma once

#include <string>
#include <string_view>

#include "api/console_page.h"
#include "runtime/http_server.h"

namespace sluice {

// Whether a request asks to see something, and changes nothing.
inline bool is_look(const HttpIncoming& incoming) {
  return incoming.method == "GET" || incoming.method == "HEAD";
}

// Whether a request may be answered without a key: it is sent to a name of this machine, and by no
// page. `place`: to the console's API and session its own page may send it; to its page, which
// holds nothing, any page leads.
bool comes_from_here(const HttpIncoming& incoming, std::string_view url_scheme, ConsolePlace place);

// Why a request to the console's API is not taken for its own page's; empty: it is taken for that.
// A look may also be typed by the user, or come from a browser that says nothing.
std::string not_of_console_because(const HttpIncoming& incoming, std::string_view url_scheme);

// Whether the page itself came by https, whatever a proxy made of that.
bool is_of_https_page(const HttpIncoming& incoming);

}  // namespace sluice
