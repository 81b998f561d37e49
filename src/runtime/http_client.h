// HttpClient sends one HTTP request and awaits its whole answer: the seam between the worker and
// the model backends, and CurlHttpClient the real one. It does not retry, follow redirects, queue,
// or judge a status: any answer is a success here.
//
// Thread rule: loop thread only. The number of requests under way is bounded by the caller; none
// waits inside. A Task destroyed in mid-transfer drops its connection. Bodies, URLs and headers are
// never logged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "runtime/clock.h"
#include "runtime/http_fields.h"
#include "runtime/loop.h"
#include "runtime/task.h"

namespace sluice {

// Takes a body while it arrives, instead of its being gathered.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // Once, before the first bytes.
  virtual void begin(const HttpFields& headers) = 0;
  // False ends the request as too_large.
  virtual bool take(std::string_view bytes) = 0;
};

struct HttpRequest {
  std::string method;                // "GET" sends no body
  std::string url;                   // http or https
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
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
};

struct HttpFailure {
  enum class Kind {
    not_sent,    // no connection (DNS, TCP, TLS), or an invalid request: the backend saw nothing
    unanswered,  // sent at least in part, then reset, closed or garbage: may have been billed
    timed_out,   // sent, and no whole answer in time: may have been billed
    too_large,   // the answer went over its limit
    aborted,     // by the AbortToken, or not sent because send_by_ns had passed
  };
  Kind kind;
  std::string message;  // for people; holds no body and no secret
};

using HttpResult = tl::expected<HttpResponse, HttpFailure>;

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
  virtual Task<HttpResult> send(HttpRequest request, AbortToken* abort) = 0;
};

struct HttpClientLimits {
  int64_t connect_timeout_ms = 10'000;  // name, TCP and TLS; within the request's own time-out
};

// Keeps connections for as many requests as were ever under way at once.
class CurlHttpClient final : public HttpClient {
 public:
  // Throws std::runtime_error when curl cannot start. The loop and the clock outlive it, and it
  // outlives its requests.
  CurlHttpClient(Loop& loop, Clock& clock, HttpClientLimits limits);
  ~CurlHttpClient() override;

  Task<HttpResult> send(HttpRequest request, AbortToken* abort) override;

 private:
  class Transfer;
  struct Engine;
  Engine& engine_with_room();

  Loop& loop_;
  Clock& clock_;
  HttpClientLimits limits_;
  std::vector<std::unique_ptr<Engine>> engines_;  // never empty
};

}  // namespace sluice
