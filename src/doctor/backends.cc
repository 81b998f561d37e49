#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "doctor/checks.h"
#include "runtime/endpoint.h"
#include "worker/secrets.h"

namespace sluice {
namespace {

// A name server's answer and a handshake around the world; and file descriptors in use at a time.
constexpr long connect_timeout_ms = 3'000;
constexpr size_t connections_max = 64;

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;

// host:port, which alone is shown: a URL may hold a password. Empty: the URL cannot be read.
std::string address_of(const std::string& url) {
  const std::optional<Endpoint> endpoint = endpoint_of(url);
  return endpoint ? endpoint->host + ":" + endpoint->port : "";
}

// Plain http, whatever the backend's scheme: a TCP connection and nothing on it.
Easy dial(const std::string& endpoint, long timeout_ms) {
  Easy easy(curl_easy_init(), &curl_easy_cleanup);
  curl_easy_setopt(easy.get(), CURLOPT_URL, ("http://" + endpoint + "/").c_str());
  curl_easy_setopt(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  return easy;
}

// Dials all endpoints at once; why each of those failed that did.
std::map<std::string, std::string> dial_all(const std::vector<std::string>& endpoints,
                                            long timeout_ms) {
  const Multi multi(curl_multi_init(), &curl_multi_cleanup);
  std::map<CURL*, std::string> endpoint_by_handle;
  std::vector<Easy> handles;
  for (const std::string& endpoint : endpoints) {
    handles.push_back(dial(endpoint, timeout_ms));
    endpoint_by_handle[handles.back().get()] = endpoint;
    curl_multi_add_handle(multi.get(), handles.back().get());
  }
  std::map<std::string, std::string> reasons;
  int running = 0;
  do {
    curl_multi_perform(multi.get(), &running);
    int ignored = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &ignored)) {
      if (message->data.result == CURLE_OK) continue;
      reasons[endpoint_by_handle.at(message->easy_handle)] =
          curl_easy_strerror(message->data.result);
    }
    if (running > 0)
      curl_multi_poll(multi.get(), nullptr, 0, static_cast<int>(timeout_ms), nullptr);
  } while (running > 0);
  for (const Easy& handle : handles) curl_multi_remove_handle(multi.get(), handle.get());
  return reasons;
}

}  // namespace

Findings check_secrets(pqxx::connection& connection, const SecretBounds& bounds) {
  pqxx::nontransaction session(connection);
  Findings findings;
  const Secrets secrets(bounds);
  for (const pqxx::row& row :
       session.exec("select secret, url, min(name) from sluice.models where secret is not null"
                    " group by secret, url order by 3")) {
    const Result<std::string> secret =
        secrets.read(row[0].as<std::string>(), row[1].as<std::string>());
    if (secret) continue;
    findings.push_back(
        {"secrets", fmt::format("model {}: {}", row[2].c_str(), secret.error().message),
         fmt::format("set or allow it for the workers, and run doctor as they run; then sluice"
                     " model resume {}",
                     row[2].c_str())});
  }
  return findings;
}

ModelByEndpoint backend_endpoints(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  ModelByEndpoint model_by_endpoint;
  for (const pqxx::row& row : session.exec("select url, name from sluice.models order by name")) {
    model_by_endpoint.emplace(address_of(row[0].as<std::string>()), row[1].as<std::string>());
  }
  return model_by_endpoint;
}

Findings check_backends(const ModelByEndpoint& model_by_endpoint, int64_t timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  Findings findings;
  auto next = model_by_endpoint.begin();
  while (next != model_by_endpoint.end() && Clock::now() < end) {
    std::vector<std::string> endpoints;
    for (; next != model_by_endpoint.end() && endpoints.size() < connections_max; ++next) {
      endpoints.push_back(next->first);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    const long wait_ms = std::clamp<long>(left.count(), 1, connect_timeout_ms);
    for (const auto& [endpoint, reason] : dial_all(endpoints, wait_ms)) {
      findings.push_back({"backends",
                          fmt::format("the backend of model {} at {} takes no connection: {}",
                                      model_by_endpoint.at(endpoint), endpoint, reason),
                          "start it, open the way to it, or correct the model's url"});
    }
  }
  if (const auto untried = std::distance(next, model_by_endpoint.end()); untried > 0) {
    findings.push_back(
        {"backends",
         fmt::format("{} backends were not tried: the others took {} ms", untried, timeout_ms),
         "sluice doctor --check-timeout 1m tries more"});
  }
  return findings;
}

}  // namespace sluice
