#include "api/request_origin.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::string_view site_header = "sec-fetch-site";
constexpr std::string_view https = "https://";

bool is_sent_to_here(std::string_view host) {
  const auto is_here = [host](std::string_view name) {
    if (!host.starts_with(name)) return false;
    const std::string_view port = host.substr(name.size());
    return port.empty() || (port.front() == ':' && is_number(port.substr(1)));
  };
  return is_here("127.0.0.1") || is_here("localhost") || is_here("[::1]");
}

// Whether `origin` is that of a page from where the request goes. A proxy may end TLS before us.
bool is_own(std::string_view origin, std::string_view host, std::string_view url_scheme) {
  const size_t scheme_end = origin.find("://");
  if (scheme_end == std::string_view::npos || host.empty()) return false;
  const std::string_view scheme = origin.substr(0, scheme_end);
  return (scheme == "https" || scheme == url_scheme) && origin.substr(scheme_end + 3) == host;
}

}  // namespace

bool comes_from_here(const HttpIncoming& incoming, std::string_view url_scheme,
                     ConsolePlace place) {
  const std::string_view host = incoming.header("host");
  if (place == ConsolePlace::page) return is_sent_to_here(host);
  // Each header, for one may be there twice, and an empty Origin is a browser's as well.
  const auto is_of_a_page = [&](const auto& header) {
    const auto& [name, value] = header;
    if (name == "origin") return place == ConsolePlace::none || !is_own(value, host, url_scheme);
    return name == site_header && value != "same-origin" && value != "none";
  };
  return std::none_of(incoming.headers.begin(), incoming.headers.end(), is_of_a_page) &&
         is_sent_to_here(host);
}

std::string not_of_console_because(const HttpIncoming& incoming, std::string_view url_scheme) {
  const std::string_view host = incoming.header("host");
  bool says_site = false;
  bool says_origin = false;
  bool is_foreign = false;
  for (const auto& [name, value] : incoming.headers) {
    if (name == site_header) {
      says_site = true;
      if (value == "same-origin" || (value == "none" && is_look(incoming))) continue;
      return "Sec-Fetch-Site says that another page sends this";
    }
    if (name == "origin") {
      says_origin = true;
      if (!is_own(value, host, url_scheme)) is_foreign = true;
    }
  }
  if (says_site) return {};  // a proxy may have changed Host, but not this
  if (is_foreign) return "Origin says that another page sends this, or a proxy has changed Host";
  if (says_origin || is_look(incoming)) return {};
  return "your browser says neither by Sec-Fetch-Site nor by Origin which page sends this: it is "
         "too old";
}

bool is_of_https_page(const HttpIncoming& incoming) {
  return incoming.header("origin").starts_with(https);
}

}  // namespace sluice
