// WireHttpClient is the HttpClient of a process: it decides which client sends a request.
// PlainHttpClient sends requests without TLS and special options, CurlHttpClient all others.
//
// Thread rule: loop thread only.
#pragma once

#include "runtime/curl_http_client.h"
#include "runtime/http_client.h"
#include "runtime/http_common.h"
#include "runtime/plain_http_client.h"

namespace sluice {

class WireHttpClient final : public HttpClient {
 public:
  // Throws std::runtime_error when curl cannot start. The loop and the clock outlive it, and it
  // outlives its requests and what their answers hold.
  WireHttpClient(Loop& loop, Clock& clock, HttpClientLimits limits = {},
                 Resolver::LookUp look_up = &Resolver::look_up_in_system)
      : common_(loop, clock, limits, std::move(look_up)), plain_(common_), curl_(common_) {
    common_.make_room = [this] { make_room(); };
  }

  Co<HttpResult> send(HttpRequest request, AbortToken* abort) override {
    if (plain_.takes(request)) return plain_.send(std::move(request), abort);
    return curl_.send(std::move(request), abort);
  }

  // Bytes that answers take, copies included.
  int64_t answer_bytes() const { return common_.memory.bytes(); }

 private:
  void make_room() {
    if (plain_.connections() + curl_.connections() < common_.limits.connections_max) return;
    if (!plain_.close_an_idle_one()) curl_.close_an_idle_engine();
  }

  HttpCommon common_;
  PlainHttpClient plain_;
  CurlHttpClient curl_;
};

}  // namespace sluice
