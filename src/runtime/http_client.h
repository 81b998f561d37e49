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

#include "runtime/answer_memory.h"
#include "runtime/clock.h"
#include "runtime/http_fields.h"
#include "runtime/http_targets.h"
#include "runtime/loop.h"
#include "runtime/resolver.h"
#include "runtime/task.h"
#include "runtime/trust_store.h"
#include "runtime/turn_share.h"

namespace sluice {

class HttpEngine;

// Takes a body while it arrives, instead of its being gathered.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // Once, before the first bytes.
  virtual void begin(const HttpFields& headers) = 0;
  // False ends the request as too_large.
  virtual bool take(std::string_view bytes) = 0;
  // What it keeps so far.
  virtual size_t bytes() const = 0;
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
  // Counts its bytes among those of all answers until the last copy of this is gone.
  std::shared_ptr<AnswerMemory::Hold> memory = nullptr;
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
  // Of all answers together, from their first byte until they are stored. Above it their senders
  // wait; on HTTP/2, where they cannot one by one, an answer that wants more than twice as much is
  // given up as unanswered.
  int64_t answer_bytes_max = AnswerMemory::bytes_max_default;
  // An engine (64 requests at once, with TLS 256, and their connections) that nobody has used for
  // so long is given up: after a peak only the first is used.
  int64_t engine_idle_ms = 60'000;
  // How often connections are looked for that the other side has closed.
  int64_t look_interval_ms = 2'000;
};

// Keeps connections for as many requests as were lately under way at once. Names are looked up off
// the loop, certificate authorities read once.
class CurlHttpClient final : public HttpClient {
 public:
  // Throws std::runtime_error when curl cannot start. The loop and the clock outlive it, and it
  // outlives its requests and what their answers hold.
  CurlHttpClient(Loop& loop, Clock& clock, HttpClientLimits limits,
                 Resolver::LookUp look_up = &Resolver::look_up_in_system);
  ~CurlHttpClient() override;

  Task<HttpResult> send(HttpRequest request, AbortToken* abort) override;

  // What answers take, copies included.
  int64_t answer_bytes() const { return memory_.bytes(); }

 private:
  struct LookUp;
  Task<Result<std::string>> look_up(const HttpTarget& target, int64_t deadline_ns,
                                    AbortToken* abort);
  HttpEngine& engine_with_room(bool is_tls);
  void look();

  Loop& loop_;
  Clock& clock_;
  HttpClientLimits limits_;
  Resolver resolver_;
  TrustStore trust_;
  AnswerMemory memory_;
  TurnShare share_;
  HttpTargets targets_;
  std::vector<std::unique_ptr<HttpEngine>> engines_;
  Clock::TimerId look_timer_ = 0;  // while there are engines
};

}  // namespace sluice
