#include "runtime/http_targets.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "runtime/endpoint.h"
#include "runtime/resolver.h"

namespace sluice {
namespace {

// Only the plain form is read here; other forms are rare and left to curl.
std::string plain_head_of(const HttpTarget& target) {
  for (const CURLUPart special : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_ZONEID}) {
    if (!part_of(target.url, special).empty()) return "";
  }
  if (target.host.ends_with('.')) return "";
  const std::string path = part_of(target.url, CURLUPART_PATH, CURLU_URLENCODE);
  const std::string query = part_of(target.url, CURLUPART_QUERY);
  return fmt::format(" {}{}{} HTTP/1.1\r\nHost: {}{}{}\r\nAccept: */*\r\n", path,
                     query.empty() ? "" : "?", query, target.host, target.port == "80" ? "" : ":",
                     target.port == "80" ? "" : target.port);
}

std::shared_ptr<const HttpTarget> read(const std::string& url) {
  auto target = std::make_shared<HttpTarget>();
  std::optional<Endpoint> endpoint = endpoint_of(url);
  if (!endpoint) return target;
  target->is_tls = endpoint->scheme == "https";
  target->url = read_url(url);
  target->origin = endpoint->origin();
  target->host = std::move(endpoint->host);
  target->port = std::move(endpoint->port);
  // In brackets it is an address of IPv6.
  target->is_named = !target->host.starts_with('[') && !Resolver::is_address(target->host);
  if (endpoint->scheme == "http" && target->url != nullptr) {
    target->plain_head = plain_head_of(*target);
  }
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
