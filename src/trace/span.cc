#include "trace/span.h"

#include <fmt/format.h>

#include <iterator>

#include "json_text.h"

namespace sluice {

namespace {

constexpr int status_error = 2;

std::string attribute_json(const SpanAttribute& attribute) {
  if (const auto* number = std::get_if<int64_t>(&attribute.value)) {  // 64 bits travel as text
    return fmt::format(R"({{"key":"{}","value":{{"intValue":"{}"}}}})", attribute.key, *number);
  }
  return fmt::format(R"({{"key":"{}","value":{{"stringValue":{}}}}})", attribute.key,
                     json_string(std::get<std::string>(attribute.value)));
}

void append_span(std::string& json, const Span& span) {
  fmt::format_to(std::back_inserter(json),
                 R"({{"traceId":"{}","spanId":"{}","parentSpanId":"{}","name":{},"kind":{},)"
                 R"("startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[)",
                 span.trace_id, span.span_id, span.parent_id, json_string(span.name),
                 static_cast<int>(span.kind), span.begun_unix_ns, span.ended_unix_ns);
  for (const SpanAttribute& attribute : span.attributes) {
    if (json.back() == '}') json += ',';
    json += attribute_json(attribute);
  }
  json += span.has_failed ? fmt::format(R"(],"status":{{"code":{}}}}})", status_error)
                          : R"(],"status":{}})";
}

}  // namespace

std::string otlp_json(const std::vector<Span>& spans, std::string_view service_name) {
  std::string json =
      fmt::format(R"({{"resourceSpans":[{{"resource":{{"attributes":[{},{}]}},)"
                  R"("scopeSpans":[{{"scope":{{"name":"sluice","version":"{}"}},"spans":[)",
                  attribute_json({"service.name", std::string(service_name)}),
                  attribute_json({"service.version", std::string(SLUICE_VERSION)}), SLUICE_VERSION);
  for (const Span& span : spans) {
    if (json.back() == '}') json += ',';
    append_span(json, span);
  }
  return json += "]}]}]}";
}

}  // namespace sluice
