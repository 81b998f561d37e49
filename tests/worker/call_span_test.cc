#include "worker/call_span.h"

#include <doctest/doctest.h>

#include "support/exported_spans.h"

namespace sluice {

namespace {

struct Bench : ExportedSpans {
  Bench() {
    model.name = "m";
    model.upstream_name = "gpt";
    model.api = "openai-chat";
    task.key = TaskKey{7, 2};
    task.attempt = 2;
    task.traceparent = sampled_traceparent;
    task.queued_ms = 1500;
  }
  CallSpan begin() { return {&exporter, clock, model, task}; }

  Model model;
  ClaimedTask task;
};

}  // namespace

TEST_CASE("a call's span is a child of the task's, and the backend's spans are its children") {
  Bench bench;
  CallSpan span = bench.begin();
  REQUIRE(span.traceparent());
  const std::string sent = *span.traceparent();
  CHECK(sent.starts_with("00-0af7651916cd43dd8448eb211c80319c-"));
  CHECK(sent.ends_with("-01"));
  CHECK(sent != sampled_traceparent);
  bench.clock.advance(3 * ns_per_s);
  Solved solved;
  solved.input_tokens = 11;
  solved.output_tokens = 22;
  solved.answer = solved.response = "the answer";
  span.end(solved);
  const std::string json = bench.exported();
  CHECK(
      has(json, R"("spanId":")" + sent.substr(36, 16) + R"(","parentSpanId":"b7ad6b7169203331")"));
  CHECK(has(json, R"("name":"chat gpt")"));
  CHECK(has(json, R"({"key":"gen_ai.request.model","value":{"stringValue":"gpt"}})"));
  CHECK(has(json, R"({"key":"gen_ai.usage.input_tokens","value":{"intValue":"11"}})"));
  CHECK(has(json, R"({"key":"gen_ai.usage.output_tokens","value":{"intValue":"22"}})"));
  CHECK(has(json, R"({"key":"http.response.status_code","value":{"intValue":"200"}})"));
  CHECK(has(json, R"({"key":"sluice.task_id","value":{"intValue":"7"}})"));
  CHECK(has(json, R"({"key":"sluice.attempt","value":{"intValue":"2"}})"));
  CHECK(has(json, R"({"key":"sluice.queued_ms","value":{"intValue":"1500"}})"));
  CHECK(has(json, R"("status":{})"));
  CHECK(!has(json, "error.type"));
  CHECK(!has(json, "batch_size"));
  CHECK(!has(json, "the answer"));
}

TEST_CASE("a failed call's span has the error's code, not its words") {
  Bench bench;
  CallSpan span = bench.begin();
  span.end(Failed{"http_400", "your prompt was bad", 400, true}, 3);
  const std::string json = bench.exported();
  CHECK(has(json, R"({"key":"error.type","value":{"stringValue":"http_400"}})"));
  CHECK(has(json, R"({"key":"http.response.status_code","value":{"intValue":"400"}})"));
  CHECK(has(json, R"({"key":"sluice.batch_size","value":{"intValue":"3"}})"));
  CHECK(has(json, R"("status":{"code":2})"));
  CHECK(!has(json, "prompt"));
}

TEST_CASE("a traceparent that is malformed, not sampled or not there makes no span") {
  for (const std::optional<std::string>& given :
       {std::optional<std::string>("00-abc"),
        std::optional<std::string>("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"),
        std::optional<std::string>()}) {
    Bench bench;
    bench.task.traceparent = given;
    CallSpan span = bench.begin();
    CHECK(span.traceparent() == given);
    span.end(Solved());
    CHECK(bench.exported().empty());
  }
}

TEST_CASE("without an exporter a traceparent goes on as it came") {
  Bench bench;
  CallSpan span(nullptr, bench.clock, bench.model, bench.task);
  CHECK(span.traceparent() == sampled_traceparent);
  span.end(Solved());
}

}  // namespace sluice
