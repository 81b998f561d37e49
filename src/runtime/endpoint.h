// Endpoint is the part of a URL before its path, as libcurl, which makes the connection, reads it.
// Any thread.
#pragma once

#include <optional>
#include <string>

namespace sluice {

struct Endpoint {
  std::string scheme;
  std::string host;  // as it is looked up; an address of IPv6 in brackets
  std::string port;  // always there

  bool operator==(const Endpoint&) const = default;
  // host:port
  std::string origin() const { return host + ':' + port; }
  // scheme://host:port; no port where it is the scheme's own.
  std::string url() const;
};

// nullopt: the URL cannot be read.
std::optional<Endpoint> endpoint_of(const std::string& url);

}  // namespace sluice
