#include "trace/span_exporter.h"

#include <doctest/doctest.h>

#include <optional>

#include "bounds.h"
#include "support/fake_http.h"
#include "support/manual_clock.h"

namespace sluice {

namespace {

struct Bench {
  Bench() {
    exporter.emplace(OtlpTarget{"http://c/v1/traces", {"k: v"}, "s"}, clock, http, note());
  }
  SpanExporter::Note note() {
    return [this](size_t sent, size_t lost) {
      exported += sent;
      dropped += lost;
    };
  }
  void add(size_t count) {
    for (size_t i = 0; i < count; ++i) exporter->end(Span(), clock.now_ns());
  }
  void answer(size_t request, int status) {
    HttpResponse response;
    response.status = status;
    http.answer(request, std::move(response));
  }
  void pass_ms(int64_t ms) { clock.advance(ms * ns_per_ms); }
  Co<void> finish() {
    co_await exporter->finish();
    has_finished = true;
  }

  ManualClock clock;
  FakeHttp http;
  std::optional<SpanExporter> exporter;
  size_t exported = 0;
  size_t dropped = 0;
  bool has_finished = false;
};

}  // namespace

TEST_CASE("spans wait for others for the interval, and go together") {
  Bench bench;
  bench.add(1);
  bench.pass_ms(bounds::spans_interval_ms / 2);
  bench.add(1);
  CHECK(bench.http.count() == 0);
  bench.pass_ms(bounds::spans_interval_ms / 2);
  REQUIRE(bench.http.count() == 1);
  const HttpRequest& request = bench.http.request(0);
  CHECK(request.method == "POST");
  CHECK(request.url == "http://c/v1/traces");
  CHECK(request.headers == std::vector<std::string>{"k: v", "Content-Type: application/json"});
  CHECK(request.timeout_ms == bounds::spans_timeout_ms);
  bench.answer(0, 200);
  CHECK(bench.exported == 2);
  CHECK(bench.dropped == 0);
}

TEST_CASE("a full batch goes at once, one request at a time") {
  Bench bench;
  bench.add(3 * bounds::spans_batch_max);
  CHECK(bench.http.count() == 1);
  bench.pass_ms(60'000);
  CHECK(bench.http.count() == 1);
  bench.answer(0, 202);
  CHECK(bench.http.count() == 2);
  CHECK(bench.exported == bounds::spans_batch_max);
}

TEST_CASE("beside a collector that hangs the spans are bounded") {
  Bench bench;
  bench.add(bounds::spans_batch_max + bounds::spans_waiting_max + 5);
  CHECK(bench.http.count() == 1);
  CHECK(bench.dropped == 5);
}

TEST_CASE("what a collector does not take is dropped and not sent again") {
  Bench bench;
  bench.add(bounds::spans_batch_max);
  bench.answer(0, 503);
  CHECK(bench.dropped == bounds::spans_batch_max);
  bench.add(1);
  bench.pass_ms(bounds::spans_interval_ms);
  REQUIRE(bench.http.count() == 2);
  bench.http.answer(1, http_failure(HttpFailure::Kind::not_sent, "refused"));
  CHECK(bench.dropped == bounds::spans_batch_max + 1);
  bench.pass_ms(600'000);
  CHECK(bench.http.count() == 2);
  CHECK(bench.exported == 0);
}

TEST_CASE("at the end the rest is sent at once") {
  Bench bench;
  bench.add(bounds::spans_batch_max - 1);
  spawn(bench.finish());
  REQUIRE(bench.http.count() == 1);
  CHECK(!bench.has_finished);
  bench.answer(0, 200);
  CHECK(bench.has_finished);
  CHECK(bench.exported == bounds::spans_batch_max - 1);
}

TEST_CASE("the end waits for a collector that hangs only so long") {
  Bench bench;
  bench.add(bounds::spans_batch_max + 1);
  spawn(bench.finish());
  bench.pass_ms(bounds::spans_finish_ms);
  CHECK(bench.has_finished);
  CHECK(bench.dropped == bounds::spans_batch_max + 1);
}

TEST_CASE("who gives up does not wait at all") {
  Bench bench;
  bench.add(1);
  spawn(bench.finish());
  bench.exporter->give_up();
  CHECK(bench.has_finished);
  CHECK(bench.dropped == 1);
}

TEST_CASE("without spans there is nothing to do and nothing to wait for") {
  Bench bench;
  CHECK(!bench.clock.next_timer_at_ns());
  spawn(bench.finish());
  CHECK(bench.has_finished);
  CHECK(bench.http.count() == 0);
}

TEST_CASE("a sampled traceparent has children, each with an id of its own") {
  constexpr const char* given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03";
  Bench bench;
  std::string first = given;
  std::string second = given;
  const auto span = bench.exporter->begin_child(first);
  REQUIRE(span);
  CHECK(span->trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK(span->parent_id == "b7ad6b7169203331");
  CHECK(span->span_id.size() == 16);
  CHECK(span->span_id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(first == "00-0af7651916cd43dd8448eb211c80319c-" + span->span_id + "-03");
  REQUIRE(bench.exporter->begin_child(second));
  CHECK(second != first);
}

TEST_CASE("what is not sampled, or no traceparent, has none and stays as it was") {
  Bench bench;
  for (const std::string given :
       {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "00-abc", ""}) {
    std::string traceparent = given;
    CHECK(!bench.exporter->begin_child(traceparent));
    CHECK(traceparent == given);
  }
}

}  // namespace sluice
