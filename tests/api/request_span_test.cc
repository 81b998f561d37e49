#include "api/request_span.h"

#include <doctest/doctest.h>

#include "support/exported_spans.h"

namespace sluice {
namespace {

struct Bench : ExportedSpans {
  Bench() {
    incoming.method = "GET";
    incoming.path = "/v1/tasks/one-task";
    incoming.query = {{"wait", "31s"}};
    incoming.headers = {{"authorization", "Bearer secret"}};
    incoming.body = "prompt";
    incoming.arrived_ns = clock.now_ns();
  }
  // Of a request with that header, answered with `status` unless that is 0.
  std::optional<std::string> traceparent_of(std::string_view header, int status) {
    incoming.headers.emplace_back("traceparent", header);
    RequestSpan span(&exporter, incoming, "/v1/tasks/{}", "https");
    clock.advance(3 * ns_per_s);
    if (status != 0) span.set_status(status);
    return span.traceparent();
  }

  HttpIncoming incoming;
};

// A number of the only span.
int64_t number_behind(const std::string& json, const std::string& key) {
  return std::stoll(json.substr(json.find(key) + key.size()));
}

}  // namespace

TEST_CASE("a request's span is a child of its client's, and its tasks are children of it") {
  Bench bench;
  const auto of_tasks = bench.traceparent_of(sampled_traceparent, 200);
  REQUIRE(of_tasks);
  CHECK(of_tasks->starts_with("00-0af7651916cd43dd8448eb211c80319c-"));
  CHECK(*of_tasks != sampled_traceparent);
  const std::string json = bench.exported();
  CHECK(has(json,
            R"("spanId":")" + of_tasks->substr(36, 16) + R"(","parentSpanId":"b7ad6b7169203331")"));
  CHECK(has(json, R"("name":"GET /v1/tasks/{}","kind":2)"));
  CHECK(has(json, R"({"key":"http.request.method","value":{"stringValue":"GET"}})"));
  CHECK(has(json, R"({"key":"http.route","value":{"stringValue":"/v1/tasks/{}"}})"));
  CHECK(has(json, R"({"key":"http.response.status_code","value":{"intValue":"200"}})"));
  CHECK(has(json, R"({"key":"url.scheme","value":{"stringValue":"https"}})"));
  CHECK(has(json, R"("status":{})"));
  CHECK(number_behind(json, R"("endTimeUnixNano":")") -
            number_behind(json, R"("startTimeUnixNano":")") ==
        3 * ns_per_s);
  for (const char* hidden : {"one-task", "31s", "secret", "prompt", "error.type"}) {
    CHECK_MESSAGE(!has(json, hidden), hidden);
  }
}

TEST_CASE("a client's mistake is no error of the server, its own is, and so is no answer") {
  const auto exported_for = [](int status) {
    Bench bench;
    bench.traceparent_of(sampled_traceparent, status);
    return bench.exported();
  };
  CHECK(has(exported_for(404), R"("status":{})"));
  const std::string failed = exported_for(502);
  CHECK(has(failed, R"({"key":"error.type","value":{"stringValue":"502"}})"));
  CHECK(has(failed, R"("status":{"code":2})"));
  const std::string cut_off = exported_for(0);
  CHECK(has(cut_off, R"({"key":"error.type","value":{"stringValue":"cut_off"}})"));
  CHECK(has(cut_off, R"("status":{"code":2})"));
  CHECK(!has(cut_off, "status_code"));
}

TEST_CASE("a header that is malformed or not sampled makes no span and goes on as it came") {
  for (const char* given : {"00-abc", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}) {
    Bench bench;
    CHECK(bench.traceparent_of(given, 200) == given);
    CHECK(bench.exported().empty());
  }
}

TEST_CASE("a header that no task can have is as if it were not there") {
  for (const std::string& given :
       {std::string(), std::string("a b"), std::string("\xff"), std::string(201, 'a')}) {
    Bench bench;
    CHECK(!bench.traceparent_of(given, 200));
    CHECK(bench.exported().empty());
  }
}

TEST_CASE("without an exporter a request's traceparent goes on as it came") {
  Bench bench;
  bench.incoming.headers.emplace_back("traceparent", sampled_traceparent);
  const RequestSpan span(nullptr, bench.incoming, "/v1/tasks/{}", "http");
  CHECK(span.traceparent() == sampled_traceparent);
}

}  // namespace sluice
