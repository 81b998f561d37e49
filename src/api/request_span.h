// RequestSpan is the span of one request to the HTTP front: begun when the request's headers had
// been read, exported when it is destroyed, which is the end of the answer. Names and attributes
// are OpenTelemetry's for HTTP servers; the route is the table's pattern, and nothing else of what
// the client sent is in it.
//
// The header traceparent decides: there is a span when it is well-formed and sampled, and spans go
// somewhere. Without one the header goes on as it came.
//
// Thread rule: loop thread only. The exporter outlives it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/http_server.h"
#include "trace/span_exporter.h"

namespace sluice {

class RequestSpan final {
 public:
  // `exporter`: null when spans go nowhere. `route`: a pattern of the table, which has the method.
  RequestSpan(SpanExporter* exporter, const HttpIncoming& incoming, std::string_view route,
              std::string_view url_scheme);
  ~RequestSpan();
  RequestSpan(const RequestSpan&) = delete;
  RequestSpan& operator=(const RequestSpan&) = delete;

  // For the tasks of the request; nullopt: there is no header, or none that a task could have.
  const std::optional<std::string>& traceparent() const { return traceparent_; }

  // The answer begins. Without it the request counts as cut off.
  void set_status(int status) { status_ = status; }

 private:
  SpanExporter* exporter_;
  int64_t begun_ns_;
  std::optional<int> status_;
  std::optional<std::string> traceparent_;
  std::unique_ptr<Span> span_;  // null: there is none
};

}  // namespace sluice
