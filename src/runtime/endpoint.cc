#include "runtime/endpoint.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace sluice {
namespace {

struct UrlDelete {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return "";
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
  return text;
}

}  // namespace

std::string Endpoint::url() const {
  const bool is_default = port == (scheme == "https" ? "443" : "80");
  return is_default ? fmt::format("{}://{}", scheme, host)
                    : fmt::format("{}://{}:{}", scheme, host, port);
}

std::optional<Endpoint> endpoint_of(const std::string& url) {
  const std::unique_ptr<CURLU, UrlDelete> parsed(curl_url());
  if (parsed == nullptr || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    return std::nullopt;
  }
  Endpoint endpoint{part_of(parsed.get(), CURLUPART_SCHEME),
                    part_of(parsed.get(), CURLUPART_HOST, CURLU_PUNYCODE),
                    part_of(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT)};
  if (endpoint.scheme.empty() || endpoint.host.empty() || endpoint.port.empty()) {
    return std::nullopt;
  }
  return endpoint;
}

}  // namespace sluice
