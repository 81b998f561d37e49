// SpanExporter sends finished spans to a collector, as OTLP/HTTP in JSON. It owns those that wait,
// bounded, and the one request under way. Best effort: nobody waits for it, nothing is sent twice,
// and what does not fit or is not taken is dropped and counted.
//
// Thread rule: loop thread only; clock and client outlive it. Destroyed with spans left, it drops
// them. The target's headers are secrets: they go nowhere but into the request.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/clock.h"
#include "runtime/http_client.h"
#include "runtime/signal.h"
#include "trace/otlp_target.h"
#include "trace/span.h"

namespace sluice {

class SpanExporter final {
 public:
  // `note` hears how many spans were sent, and how many were dropped.
  using Note = std::function<void(size_t exported, size_t dropped)>;

  SpanExporter(OtlpTarget target, Clock& clock, HttpClient& http, Note note);

  // By OpenTelemetry's environment variables; null: spans go nowhere, which is logged where a
  // variable is the cause. Nobody fails to start for the want of spans. `service_name`: unless
  // OTEL_SERVICE_NAME says so.
  static std::unique_ptr<SpanExporter> of_environment(std::string_view service_name, Clock& clock,
                                                      HttpClient& http, Note note);

  // A new child of the span that `traceparent` names, which names the child afterwards. Null, and
  // `traceparent` as it was, unless that is well-formed and sampled.
  std::unique_ptr<Span> begin_child(std::string& traceparent);

  // Takes a span along some time that began then by the clock, and ends now. Never waits.
  void end(Span span, int64_t begun_ns);

  // Sends what is left, for a bounded time, or until give_up(). Add none after that.
  Co<void> finish();
  void give_up();

 private:
  std::string new_span_id();
  Co<void> run();
  Co<void> wait_for_batch();
  Co<void> send();
  std::vector<Span> take();
  void note_sent(size_t count, const std::string& problem);

  OtlpTarget target_;
  Clock& clock_;
  HttpClient& http_;
  Note note_;
  std::mt19937_64 random_{std::random_device{}()};
  std::deque<Span> waiting_;
  size_t under_way_ = 0;
  bool failing_ = false;
  bool finishing_ = false;
  bool given_up_ = false;
  bool has_ended_ = false;
  Signal change_;       // run() waits for it
  Signal progress_;     // finish() waits for it
  CoGroup coroutines_;  // last: goes first
};

}  // namespace sluice
