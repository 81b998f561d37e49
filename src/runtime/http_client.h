// HttpClient sends one HTTP request and awaits its whole answer: the seam between the worker and
// the model backends (WireHttpClient is the real one). It does not retry, follow redirects, queue,
// or judge a status: any answer counts as a success here.
//
// Thread rule: loop thread only. The caller bounds the number of requests under way; none waits
// inside. A Co destroyed in mid-transfer drops its connection. Bodies, URLs and headers are never
// logged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "runtime/co.h"
#include "runtime/http_body.h"
#include "runtime/http_fields.h"
#include "runtime/memory_budget.h"

namespace sluice {

// Takes a body while it arrives, instead of its being gathered.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // Once, before the first bytes.
  virtual void begin(const HttpFields& headers) = 0;
  // False ends the request as too_large.
  virtual bool take(std::string_view bytes) = 0;
  // Bytes kept so far.
  virtual size_t bytes() const = 0;
};

struct HttpRequest {
  std::string method;                                // "GET" sends no body
  std::string url;                                   // http or https
  std::vector<std::string> headers;                  // "Name: value"
  HttpBody body;                                     // given back as soon as it is sent
  int64_t timeout_ms;                                // from send() to the last byte of the answer
  int64_t response_bytes_max;                        // of the answer's body
  std::optional<int64_t> send_by_ns = std::nullopt;  // not sent after that: ends as aborted
  // Takes the body of a successful answer that is a text/event-stream; null: gathered like any.
  // The caller's, and outlives the request.
  BodySink* event_stream = nullptr;
};

struct HttpResponse {
  int status = 0;
  HttpFields headers;  // names in lower case
  std::string body;
  std::optional<int64_t> first_byte_ns = std::nullopt;  // of the body, by the clock
  int64_t received_unix_ms = 0;                         // when it was whole, by the wall clock
  // Counts its bytes among those of all answers until the last copy of this is gone.
  std::shared_ptr<MemoryBudget::Hold> memory = nullptr;
};

struct HttpFailure {
  enum class Kind {
    not_sent,    // no connection (DNS, TCP, TLS), an invalid request, or one that HTTP/2 says was
                 // not processed: nothing was billed
    unanswered,  // sent at least in part, then reset, closed or garbage: may have been billed
    timed_out,   // sent, and no whole answer in time: may have been billed
    too_large,   // the answer went over its limit
    aborted,     // by the AbortToken, or not sent because send_by_ns had passed
  };
  Kind kind;
  std::string message;  // for people; holds no body and no secret
};

using HttpResult = tl::expected<HttpResponse, HttpFailure>;

inline tl::unexpected<HttpFailure> http_failure(HttpFailure::Kind kind, std::string message) {
  return tl::unexpected(HttpFailure{kind, std::move(message)});
}

// Ends one request early. Owned by the caller, and outlives the request; use a new one for each.
class AbortToken final {
 public:
  AbortToken() = default;
  AbortToken(const AbortToken&) = delete;
  AbortToken& operator=(const AbortToken&) = delete;

  // The awaiting coroutine goes on with Kind::aborted. A second time, or after the answer: nothing.
  void abort();
  bool aborted() const { return aborted_; }

  // For HttpClients: what abort() does while a request is under way; null when it has ended.
  void on_abort(std::function<void()> fn) { on_abort_ = std::move(fn); }

 private:
  bool aborted_ = false;
  std::function<void()> on_abort_;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // `abort` may be null.
  virtual Co<HttpResult> send(HttpRequest request, AbortToken* abort) = 0;
};

}  // namespace sluice
