// CallSpan is the span of one call to a model's backend, for one task: begun before the request,
// whose traceparent it gives, and exported when the outcome is known. Names and attributes are
// OpenTelemetry's for calls to models; codes and figures only, no prompt, answer or error text.
//
// The task's own traceparent decides: there is a span when it is well-formed and sampled, and spans
// go somewhere. Without one the traceparent goes on as it came.
//
// Thread rule: loop thread only. Clock and exporter outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backends/backend.h"
#include "runtime/clock.h"
#include "trace/span_exporter.h"
#include "worker/database.h"

namespace sluice {

class CallSpan final {
 public:
  // `exporter`: null when spans go nowhere.
  CallSpan(SpanExporter* exporter, const Clock& clock, const Model& model, const ClaimedTask& task);

  // The header of the request; nullopt: none.
  const std::optional<std::string>& traceparent() const { return traceparent_; }

  // Requires: not called before. `tasks`: that the call carried.
  void end(const Outcome& outcome, size_t tasks = 1);

 private:
  SpanExporter* exporter_;
  const Clock& clock_;
  int64_t begun_ns_ = 0;
  std::optional<std::string> traceparent_;
  std::unique_ptr<Span> span_;  // null: there is none, and 10,000 calls hold no room for it
};

}  // namespace sluice
