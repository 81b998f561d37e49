// HttpTargets caches parsed URLs: there are few, each is called millions of times, and parsing one
// takes longer than sending a request.
//
// Thread rule: loop thread only. A target that was dropped from the cache lives as long as somebody
// holds it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "runtime/curl_url.h"

namespace sluice {

struct HttpTarget {
  CurlUrl url;  // null: curl is to say what is wrong with it
  std::string host;
  std::string port;
  std::string origin;  // host:port
  bool is_tls = false;
  bool is_named = false;  // the host is to be looked up: it is no address
  // The request's first lines behind its method, as curl writes them; empty: this URL is for curl
  // alone (TLS, a password, a zone).
  std::string plain_head;
};

class HttpTargets final {
 public:
  // More URLs than that at once are no installation's.
  static constexpr size_t kept_max = 1'000;

  std::shared_ptr<const HttpTarget> of(const std::string& url);

 private:
  std::unordered_map<std::string, std::shared_ptr<const HttpTarget>> kept_;
};

}  // namespace sluice
