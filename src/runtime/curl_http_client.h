// CurlHttpClient speaks HTTP by curl: TLS, HTTP/2, and what PlainHttpClient leaves to it. It keeps
// connections for as many requests as were lately under way at once. Names are looked up off the
// loop, certificate authorities read once.
//
// Thread rule: loop thread only.
#pragma once

#include <memory>
#include <vector>

#include "runtime/http_client.h"
#include "runtime/http_common.h"
#include "runtime/trust_store.h"

namespace sluice {

class HttpEngine;

class CurlHttpClient final : public HttpClient {
 public:
  // Throws std::runtime_error when curl cannot start. `common` outlives it, and it outlives its
  // requests.
  explicit CurlHttpClient(HttpCommon& common);
  ~CurlHttpClient() override;

  Co<HttpResult> send(HttpRequest request, AbortToken* abort) override;

 private:
  HttpEngine& engine_with_room(bool is_tls);
  void look_later();
  void look();

  HttpCommon& common_;
  TrustStore trust_;
  std::vector<std::unique_ptr<HttpEngine>> engines_;
  Clock::TimerId look_timer_ = 0;  // while there are engines
};

}  // namespace sluice
