// Span is one finished piece of work of a trace, and otlp_json() the form in which collectors take
// many of them. Pure data and a pure function: it measures nothing and sends nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice {

struct SpanAttribute {
  std::string_view key;  // of a literal
  std::variant<int64_t, std::string> value;
};

// Its relation to its parent; the numbers are OTLP's.
enum class SpanKind { server = 2, client = 3 };

struct Span {
  SpanKind kind = SpanKind::client;
  std::string trace_id;  // these three in hexadecimal digits
  std::string span_id;
  std::string parent_id;
  std::string name;
  int64_t begun_unix_ns = 0;
  int64_t ended_unix_ns = 0;
  bool has_failed = false;
  std::vector<SpanAttribute> attributes;
};

// An ExportTraceServiceRequest in OTLP's JSON.
std::string otlp_json(const std::vector<Span>& spans, std::string_view service_name);

}  // namespace sluice
