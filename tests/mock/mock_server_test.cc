#include "mock/mock_server.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mock/prefix_cache.h"
#include "mock/sliding_window.h"
#include "runtime/signal.h"
#include "runtime/wire_http_client.h"
#include "support/run_co.h"

namespace sluice {
namespace {

// sha256 of "hello".
constexpr std::string_view hello_hash =
    "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

MockOptions on_free_port() {
  MockOptions options;
  options.listen = "127.0.0.1:0";
  return options;
}

constexpr int64_t call_timeout_ms = 50'000;

struct Fixture {
  Loop loop;
  SystemClock clock{loop};
  // Two thousand connections at once take long on a busy machine.
  WireHttpClient client{loop, clock, {.connect_timeout_ms = call_timeout_ms}};
  std::unique_ptr<MockServer> server;

  explicit Fixture(const MockOptions& options = on_free_port()) {
    auto started = MockServer::start(loop, clock, options);
    REQUIRE_MESSAGE(started, (started ? "" : started.error().message));
    server = std::move(*started);
  }

  HttpRequest request(std::string path, std::string body) const {
    return {"POST",
            "http://" + server->address() + path,
            {"Content-Type: application/json", "Sluice-Task: 17:1, 18:2"},
            std::move(body),
            call_timeout_ms,
            1 << 20};
  }
  HttpResult post(std::string path, std::string body) {
    return run_co(loop, clock, client.send(request(std::move(path), std::move(body)), nullptr));
  }
  HttpResult solve(const std::string& prompt) {
    return post("/solve", R"({"model":"m","prompt":")" + prompt + R"("})");
  }
};

struct TemporaryFile {
  TemporaryFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-mock-XXXXXX").string();
    close(mkstemp(pattern.data()));
    path = pattern;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::vector<std::string> lines() const {
    std::ifstream file(path);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  std::string path;
};

Co<void> solve_counted(HttpClient* client, HttpRequest request, int* left, Signal* done) {
  const HttpResult got = co_await client->send(std::move(request), nullptr);
  CHECK(got);
  if (--*left == 0) done->raise();
}

}  // namespace

TEST_CASE("an answer names the model and the hash of its prompt, in each of the forms") {
  Fixture fixture;
  const std::string answer = "\"m: " + std::string(hello_hash) + "\"";
  for (const char* path : {"/solve", "/single"}) {
    const auto got = fixture.post(path, R"({"model":"m","prompt":"hello"})");
    REQUIRE(got);
    CHECK(got->status == 200);
    CHECK(got->body == "{\"answer\":" + answer + "}");
  }
  const auto batch = fixture.post("/batch", R"({"model":"m","prompts":["hello","hello"]})");
  REQUIRE(batch);
  CHECK(batch->body == "{\"answers\":[" + answer + "," + answer + "]}");
  const auto chat = fixture.post(
      "/v1/chat/completions",
      R"({"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"hello"}]})");
  REQUIRE(chat);
  CHECK(chat->body.find("\"content\":" + answer) != std::string::npos);
  CHECK(chat->body.find("\"usage\":{\"prompt_tokens\":2,") != std::string::npos);
  const auto stream =
      fixture.post("/v1/chat/completions",
                   R"({"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true,)"
                   R"("stream_options":{"include_usage":true}})");
  REQUIRE(stream);
  CHECK(find_field(stream->headers, "content-type") == "text/event-stream");
  CHECK(stream->body.find("\"content\":" + answer) != std::string::npos);
  CHECK(stream->body.find("\"choices\":[],\"usage\":{\"prompt_tokens\":2,") != std::string::npos);
  CHECK(stream->body.ends_with("data: [DONE]\n\n"));
}

TEST_CASE("of a batch one prompt may get an error, or bring the call down for all") {
  Fixture fixture;
  const std::string answer = "\"m: " + std::string(hello_hash) + "\"";
  const auto some =
      fixture.post("/batch", R"({"model":"m","prompts":["hello","mock:error x","hello"]})");
  REQUIRE(some);
  CHECK(some->status == 200);
  CHECK(some->body.starts_with("{\"answers\":[" + answer + ",{\"error\":"));
  CHECK(some->body.ends_with("\"retryable\":false}," + answer + "]}"));
  const auto none =
      fixture.post("/batch", R"({"model":"m","prompts":["hello","mock:error","mock:status=503"]})");
  REQUIRE(none);
  CHECK(none->status == 503);
  const auto alone = fixture.post("/single", R"({"model":"m","prompt":"mock:error"})");
  REQUIRE(alone);
  CHECK(alone->body.starts_with("{\"error\":"));
}

TEST_CASE("what is not a call gets a clear status, and JSON") {
  Fixture fixture;
  const auto status = [&](std::string path, std::string body) {
    const auto got = fixture.post(std::move(path), std::move(body));
    REQUIRE(got);
    CHECK(got->body.starts_with("{\"error\":{\"message\":\""));
    return got->status;
  };
  CHECK(status("/nowhere", "{}") == 404);
  CHECK(status("/solve", "not json") == 400);
  CHECK(status("/solve", R"(["model"])") == 400);
  CHECK(status("/solve", R"({"model":"m"})") == 400);
  CHECK(status("/solve", R"({"prompt":"p"})") == 400);
  CHECK(status("/batch", R"({"model":"m","prompts":[]})") == 400);
  CHECK(status("/v1/chat/completions", R"({"model":"m","messages":[]})") == 400);
  HttpRequest get = fixture.request("/solve", "");
  get.method = "GET";
  const auto got = run_co(fixture.loop, fixture.clock, fixture.client.send(get, nullptr));
  REQUIRE(got);
  CHECK(got->status == 405);
}

TEST_CASE("a prompt may order its fault") {
  Fixture fixture;
  SUBCASE("too long, or refused, as providers say it") {
    const auto too_long = fixture.solve("mock:too_long");
    REQUIRE(too_long);
    CHECK(too_long->status == 400);
    CHECK(too_long->body.find("context_length_exceeded") != std::string::npos);
    const auto refused = fixture.solve("mock:refused");
    REQUIRE(refused);
    CHECK(refused->body.find(R"("code":"content_filter")") != std::string::npos);
    for (const char* stream : {"false", "true"}) {
      const auto answered = fixture.post(
          "/v1/chat/completions",
          fmt::format(
              R"({{"model":"m","stream":{},"messages":[{{"content":"mock:refused_answer"}}]}})",
              stream));
      REQUIRE(answered);
      CHECK(answered->status == 200);
      CHECK(answered->body.find(R"("finish_reason":"content_filter")") != std::string::npos);
    }
  }
  SUBCASE("of one model alone") {
    CHECK(fixture.solve("mock:model=m;status=503")->status == 503);
    CHECK(fixture.solve("mock:model=other;status=503")->status == 200);
  }
  SUBCASE("html") {
    const auto got = fixture.solve("mock:html");
    REQUIRE(got);
    CHECK(got->status == 200);
    CHECK(find_field(got->headers, "content-type") == "text/html");
  }
  SUBCASE("empty") {
    const auto got = fixture.solve("mock:empty");
    REQUIRE(got);
    CHECK(got->status == 200);
    CHECK(got->body.empty());
  }
  SUBCASE("close") {
    const auto got = fixture.solve("mock:close");
    REQUIRE_FALSE(got);
    CHECK(got.error().kind == HttpFailure::Kind::unanswered);
  }
  SUBCASE("status and header, with a free text behind") {
    const auto got = fixture.solve("mock:status=429;retry_after=2 number 7");
    REQUIRE(got);
    CHECK(got->status == 429);
    CHECK(find_field(got->headers, "retry-after") == "2");
  }
  SUBCASE("nul") {
    const auto got = fixture.solve("mock:nul");
    REQUIRE(got);
    CHECK(got->body.find("\\u0000") != std::string::npos);
  }
  SUBCASE("delay") {
    const int64_t before_ns = fixture.clock.now_ns();
    const auto got = fixture.solve("mock:delay=30ms");
    REQUIRE(got);
    CHECK(got->status == 200);
    CHECK(fixture.clock.now_ns() - before_ns >= 30 * ns_per_ms);
  }
  SUBCASE("an unknown one") {
    const auto got = fixture.solve("mock:status=9999");
    REQUIRE(got);
    CHECK(got->status == 400);
  }
}

TEST_CASE("a window never accepts more than its limit, and says exactly when it will") {
  SlidingWindow window(2, 100);
  CHECK_FALSE(window.refused_until_ns(0));
  CHECK_FALSE(window.refused_until_ns(30));
  CHECK(window.refused_until_ns(99) == 100);
  CHECK_FALSE(window.refused_until_ns(100));
  CHECK(window.refused_until_ns(100) == 130);
  CHECK(SlidingWindow(0, 100).refused_until_ns(5) == 105);
}

TEST_CASE("over its quota a model gets 429 with the time to wait; another model is free") {
  MockOptions options = on_free_port();
  options.rpm = 3;
  Fixture fixture(options);
  for (int i = 0; i < 3; ++i) CHECK(fixture.solve("p")->status == 200);
  const auto over = fixture.solve("p");
  REQUIRE(over);
  CHECK(over->status == 429);
  CHECK(find_field(over->headers, "retry-after") == "60");
  CHECK(fixture.post("/solve", R"({"model":"other","prompt":"p"})")->status == 200);
}

TEST_CASE("the log has one line for each arrival, the same for the same seed") {
  const auto run = [] {
    const TemporaryFile file;
    MockOptions options = on_free_port();
    options.latency = "50%:1ms-2ms,50%:3ms-4ms";
    options.error_rate = 0.5;
    options.seed = 7;
    options.log_file = file.path;
    {
      Fixture fixture(options);
      for (int i = 0; i < 20; ++i) CHECK(fixture.solve("hello"));
      CHECK_FALSE(fixture.solve("mock:close"));
    }
    return file.lines();
  };
  const auto without_time = [](std::string line) { return line.substr(line.find(",\"model\"")); };
  std::vector<std::string> first;
  std::vector<std::string> second;
  for (auto& line : run()) first.push_back(without_time(line));
  for (auto& line : run()) second.push_back(without_time(line));
  REQUIRE(first.size() == 21);
  CHECK(first == second);
  CHECK(first.back().find("\"status\":0,") != std::string::npos);
  CHECK(first.front().starts_with(",\"model\":\"m\",\"prompt_sha256\":\"" +
                                  std::string(hello_hash) +
                                  "\",\"tasks\":[\"17:1\",\"18:2\"],\"status\":"));
}

TEST_CASE("a batch takes as long as the slowest of its prompts would") {
  const auto latencies = [](const std::vector<int>& calls) {
    const TemporaryFile file;
    MockOptions options = on_free_port();
    options.latency = "50%:1ms-5ms,50%:10ms-30ms";
    options.log_file = file.path;
    {
      Fixture fixture(options);
      for (const int prompts : calls) {
        std::string body = R"({"model":"m","prompts":["p")";
        for (int i = 1; i < prompts; ++i) body += R"(,"p")";
        CHECK(fixture.post("/batch", body + "]}")->status == 200);
      }
    }
    std::vector<double> ms;
    constexpr std::string_view field = "\"latency_ms\":";
    for (const auto& line : file.lines()) {
      ms.push_back(std::stod(line.substr(line.find(field) + field.size())));
    }
    return ms;
  };
  const auto alone = latencies({1, 1, 1, 1, 1, 1});
  const auto batched = latencies({1, 4, 1});
  REQUIRE(alone.size() == 6);
  REQUIRE(batched.size() == 3);
  CHECK(batched[0] == alone[0]);
  CHECK(batched[1] == *std::max_element(alone.begin() + 1, alone.begin() + 5));
  CHECK(batched[2] == alone[5]);
}

TEST_CASE("an answer is as long as asked for") {
  MockOptions options = on_free_port();
  options.answer_bytes = 800;
  Fixture fixture(options);
  const auto got = fixture.solve("hello");
  REQUIRE(got);
  CHECK(got->body.size() == 800 + std::string_view(R"({"answer":""})").size());
  CHECK(got->body.starts_with(R"({"answer":"m: )" + std::string(hello_hash) + "..."));
}

TEST_CASE("two thousand calls wait at the same time") {
  MockOptions options = on_free_port();
  options.latency = "300ms";
  Fixture fixture(options);
  int left = 2000;
  Signal done;
  const auto all = [&]() -> Co<void> {
    for (int i = left; i > 0; --i) {
      HttpRequest request = fixture.request("/solve", R"({"model":"m","prompt":"p"})");
      spawn(solve_counted(&fixture.client, std::move(request), &left, &done));
    }
    co_await done.wait();
  };
  run_co(fixture.loop, fixture.clock, all());
  CHECK(left == 0);
}

TEST_CASE("a mock that ends cuts off the calls that wait") {
  MockOptions options = on_free_port();
  options.latency = "60s";
  Fixture fixture(options);
  HttpRequest request = fixture.request("/solve", R"({"model":"m","prompt":"p"})");
  fixture.clock.call_at(fixture.clock.now_ns() + 20 * ns_per_ms, [&] { fixture.server.reset(); });
  const auto got =
      run_co(fixture.loop, fixture.clock, fixture.client.send(std::move(request), nullptr));
  REQUIRE_FALSE(got);
}

TEST_CASE("a bad option is refused before anything starts") {
  Loop loop;
  SystemClock clock(loop);
  MockOptions options = on_free_port();
  SUBCASE("latency") {
    options.latency = "soon";
  }
  SUBCASE("log") {
    options.log_file = "/nowhere/at/all";
  }
  SUBCASE("address") {
    options.listen = "nowhere";
  }
  CHECK_FALSE(MockServer::start(loop, clock, options));
}

TEST_CASE("a prefix cache remembers the prefixes used last") {
  PrefixCache cache(2);
  CHECK_FALSE(cache.use("a"));
  CHECK_FALSE(cache.use("b"));
  CHECK(cache.use("a"));
  CHECK_FALSE(cache.use("c"));  // b goes
  CHECK(cache.use("a"));
  CHECK_FALSE(cache.use("b"));
  PrefixCache none(0);
  CHECK_FALSE(none.use("a"));
  CHECK_FALSE(none.use("a"));
}

TEST_CASE("a call whose prompt begins as another one did has no prefill") {
  const TemporaryFile log;
  auto options = on_free_port();
  options.prefill = "1ms";
  options.prefix_cache = 1;
  options.prefix_bytes = 3;
  options.log_file = log.path;
  {
    Fixture mock(options);
    for (const std::string prompt : {"abc1", "abc2", "abd", "abc3"}) mock.solve(prompt);
    mock.post("/v1/chat/completions",
              R"({"model":"m","messages":[{"role":"system","content":"abc"},{"content":"x"}]})");
  }
  const auto lines = log.lines();
  REQUIRE(lines.size() == 5);
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool hit = i == 1 || i == 4;
    CAPTURE(lines[i]);
    CHECK(lines[i].ends_with(hit ? R"("latency_ms":0,"prefix_hit":true})"
                                 : R"("latency_ms":1,"prefix_hit":false})"));
  }
}

}  // namespace sluice
