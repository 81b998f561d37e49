// An exporter of spans whose collector is the test: on a clock that the test moves, by a client
// that only writes requests down.
#pragma once

#include <string>

#include "bounds.h"
#include "support/body_text.h"
#include "support/fake_http.h"
#include "support/manual_clock.h"
#include "trace/span_exporter.h"

namespace sluice {

constexpr const char* sampled_traceparent =
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

struct ExportedSpans {
  // The exported spans, as JSON; empty: none.
  std::string exported() {
    clock.advance(bounds::spans_interval_ms * ns_per_ms);
    return http.count() == 0 ? std::string() : text_of(http.request(0).body);
  }

  ManualClock clock;
  FakeHttp http;
  SpanExporter exporter{OtlpTarget{"http://c", {}, "s"}, clock, http, [](size_t, size_t) {}};
};

inline bool has(const std::string& json, const std::string& part) {
  return json.find(part) != std::string::npos;
}

}  // namespace sluice
