#include "runtime/http_targets.h"

#include <optional>
#include <utility>

#include "runtime/endpoint.h"
#include "runtime/resolver.h"

namespace sluice {
namespace {

std::shared_ptr<const HttpTarget> read(const std::string& url) {
  auto target = std::make_shared<HttpTarget>();
  std::optional<Endpoint> endpoint = endpoint_of(url);
  if (!endpoint) return target;
  target->is_tls = endpoint->scheme == "https";
  target->url.reset(curl_url());
  if (curl_url_set(target->url.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    target->url.reset();  // no memory
  }
  target->host = std::move(endpoint->host);
  target->port = std::move(endpoint->port);
  // In brackets it is an address of IPv6.
  target->is_named = !target->host.starts_with('[') && !Resolver::is_address(target->host);
  return target;
}

}  // namespace

std::shared_ptr<const HttpTarget> HttpTargets::of(const std::string& url) {
  const auto found = kept_.find(url);
  if (found != kept_.end()) return found->second;
  if (kept_.size() >= kept_max) kept_.clear();
  return kept_.emplace(url, read(url)).first->second;
}

}  // namespace sluice
