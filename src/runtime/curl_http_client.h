// CurlHttpClient sends requests with curl: TLS, HTTP/2, and everything that PlainHttpClient does
// not do. It keeps as many connections as requests were recently under way at once. Names are
// looked up off the loop; certificate authorities are read once.
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

  // Kept ones included.
  size_t connections() const;
  // Closes the connections of the engine that has had no request for longest, if one has none.
  void close_an_idle_engine();

 private:
  std::unique_ptr<HttpEngine> make_engine(const std::string& origin);
  HttpEngine& engine_with_room(const HttpTarget& target);
  void look_later();
  void look();

  HttpCommon& common_;
  TrustStore trust_;
  std::vector<std::unique_ptr<HttpEngine>> engines_;
  Clock::TimerId look_timer_ = 0;  // while there are engines
};

}  // namespace sluice
