#include "runtime/endpoint.h"

#include <fmt/format.h>

#include "runtime/curl_url.h"

namespace sluice {

std::string Endpoint::url() const {
  const bool is_default = port == (scheme == "https" ? "443" : "80");
  return is_default ? fmt::format("{}://{}", scheme, host)
                    : fmt::format("{}://{}:{}", scheme, host, port);
}

std::optional<Endpoint> endpoint_of(const std::string& url) {
  const CurlUrl parsed = read_url(url);
  if (parsed == nullptr) return std::nullopt;
  Endpoint endpoint{part_of(parsed, CURLUPART_SCHEME),
                    part_of(parsed, CURLUPART_HOST, CURLU_PUNYCODE),
                    part_of(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT)};
  if (endpoint.scheme.empty() || endpoint.host.empty() || endpoint.port.empty()) {
    return std::nullopt;
  }
  return endpoint;
}

}  // namespace sluice
