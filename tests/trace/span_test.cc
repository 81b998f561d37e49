#include "trace/span.h"

#include <doctest/doctest.h>
#include <simdjson.h>

namespace sluice {

TEST_CASE("spans are written in OTLP's JSON: ids in hexadecimal, 64 bits as text") {
  Span span;
  span.trace_id = "0af7651916cd43dd8448eb211c80319c";
  span.span_id = "00f067aa0ba902b7";
  span.parent_id = "b7ad6b7169203331";
  span.name = "chat \"m\"";
  span.begun_unix_ns = 1'700'000'000'000'000'001;
  span.ended_unix_ns = 1'700'000'000'000'000'002;
  span.attributes = {{"sluice.task_id", int64_t{7}}, {"error.type", std::string("a\nb")}};
  span.has_failed = true;
  Span fine = span;
  fine.has_failed = false;
  fine.kind = SpanKind::server;
  fine.attributes.clear();
  const std::string json = otlp_json({span, fine}, "my \"worker\"");
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  REQUIRE(!parser.parse(json).get(root));
  const auto text = [&root](const std::string& path) {
    std::string_view found;
    REQUIRE_MESSAGE(!root.at_pointer(path).get(found), path);
    return std::string(found);
  };
  const auto number = [&root](const std::string& path) {
    int64_t found = 0;
    REQUIRE_MESSAGE(!root.at_pointer(path).get(found), path);
    return found;
  };
  CHECK(text("/resourceSpans/0/resource/attributes/0/key") == "service.name");
  CHECK(text("/resourceSpans/0/resource/attributes/0/value/stringValue") == "my \"worker\"");
  const std::string first = "/resourceSpans/0/scopeSpans/0/spans/0/";
  CHECK(text(first + "traceId") == span.trace_id);
  CHECK(text(first + "spanId") == span.span_id);
  CHECK(text(first + "parentSpanId") == span.parent_id);
  CHECK(text(first + "name") == span.name);
  CHECK(number(first + "kind") == 3);
  CHECK(text(first + "startTimeUnixNano") == "1700000000000000001");
  CHECK(text(first + "endTimeUnixNano") == "1700000000000000002");
  CHECK(text(first + "attributes/0/value/intValue") == "7");
  CHECK(text(first + "attributes/1/value/stringValue") == "a\nb");
  CHECK(number(first + "status/code") == 2);
  simdjson::dom::element second;
  REQUIRE(!root.at_pointer("/resourceSpans/0/scopeSpans/0/spans/1").get(second));
  CHECK(second["kind"].get_int64().value() == 2);
  CHECK(second["attributes"].get_array().size() == 0);
  CHECK(second["status"].get_object().size() == 0);
}

}  // namespace sluice
