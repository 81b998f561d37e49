// TraceContext is what a traceparent says (W3C Trace Context, version 00): which trace, which span
// of it, and whether it is recorded. Pure data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

struct TraceContext {
  std::string trace_id;  // 32 hexadecimal digits
  std::string span_id;   // 16
  std::string flags;     // 2

  bool is_sampled() const;
  std::string traceparent() const;
};

// nullopt: malformed, or of a version that nobody has defined yet.
std::optional<TraceContext> parse_traceparent(std::string_view text);

}  // namespace sluice
