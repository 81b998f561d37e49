#include "runtime/http_client.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/http_server.h"
#include "runtime/signal.h"
#include "support/raw_server.h"
#include "support/run_task.h"

namespace sluice {
namespace {

using Kind = HttpFailure::Kind;

constexpr std::string_view ok_answer =
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Mixed-Case: A b \r\n\r\nok";

HttpRequest post_to(std::string url, std::string body = "question") {
  return {"POST", std::move(url), {"Content-Type: text/plain"}, std::move(body), 30'000, 1 << 20};
}

bool is_whole(const std::string& received) {
  return received.ends_with("question");
}

struct Fixture {
  explicit Fixture(HttpClientLimits limits = {},
                   Resolver::LookUp look_up = &Resolver::look_up_in_system)
      : client(loop, clock, limits, std::move(look_up)) {}

  Loop loop;
  SystemClock clock{loop};
  CurlHttpClient client;

  HttpResult send(HttpRequest request, AbortToken* abort = nullptr) {
    return run_task(loop, clock, client.send(std::move(request), abort));
  }
};

// Runs the loop until then.
template <class Condition>
void wait_until(Fixture& fixture, Condition is_true) {
  const int64_t deadline_ns = fixture.clock.now_ns() + 20 * ns_per_s;
  while (!is_true() && fixture.clock.now_ns() < deadline_ns) {
    run_task(fixture.loop, fixture.clock,
             sleep_until(fixture.clock, fixture.clock.now_ns() + ns_per_ms));
  }
  CHECK(is_true());
}

// Connections of ours to that port that the other side has closed and we have not.
int half_closed(const std::string& url) {
  const std::string port = fmt::format(":{:04X}", std::stoi(url.substr(url.rfind(':') + 1)));
  std::ifstream table("/proc/self/net/tcp");
  int count = 0;
  std::string slot, local, remote, state, rest;
  while (table >> slot >> local >> remote >> state && std::getline(table, rest)) {
    if (remote.ends_with(port) && state == "08") ++count;
  }
  return count;
}

struct Crowd {
  HttpClient* client;
  std::string url;
  int expected;
  int answered = 0;
  Signal all_answered = {};
};

Task<void> ask(Crowd* crowd, int number) {
  HttpRequest request = post_to(crowd->url, std::to_string(number));
  const HttpResult result = co_await crowd->client->send(std::move(request), nullptr);
  if (result && result->body == "answer to " + std::to_string(number)) ++crowd->answered;
  if (--crowd->expected == 0) crowd->all_answered.raise();
}

Task<void> ask_all(Crowd* crowd) {
  const int count = crowd->expected;
  for (int i = 0; i < count; ++i) spawn(ask(crowd, i));
  co_await crowd->all_answered.wait();
}

}  // namespace

TEST_CASE("an answer comes with status, lower-case headers and body, whatever the status") {
  Fixture fixture;
  std::string request;
  RawServer server(fixture.loop,
                   [&](const std::string& received) -> std::optional<RawServer::Answer> {
                     if (!is_whole(received)) return std::nullopt;
                     request = received;
                     return RawServer::Answer{std::string(ok_answer)};
                   });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE(got);
  CHECK(got->status == 200);
  CHECK(got->body == "ok");
  CHECK(find_field(got->headers, "x-mixed-case") == "A b");
  CHECK(request.starts_with("POST / HTTP/1.1\r\n"));
  CHECK(request.find("Expect:") == std::string::npos);
  CHECK(request.find("Content-Length: 8\r\n") != std::string::npos);
}

TEST_CASE("a redirect is an answer, not followed") {
  Fixture fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"};
  });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE(got);
  CHECK(got->status == 302);
  CHECK(server.accepted() == 1);
}

TEST_CASE("a proxy that the environment names is not used") {
  Fixture fixture;
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  std::string nowhere;
  {
    const RawServer gone(fixture.loop, [](const std::string&) { return std::nullopt; });
    nowhere = gone.url();
  }
  for (const char* name : {"no_proxy", "NO_PROXY"}) unsetenv(name);
  for (const char* name : {"http_proxy", "all_proxy"}) setenv(name, nowhere.c_str(), 1);
  CHECK(fixture.send(post_to(server.url())));
  for (const char* name : {"http_proxy", "all_proxy"}) unsetenv(name);
}

TEST_CASE("connections are kept and used again") {
  Fixture fixture;
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  for (int i = 0; i < 5; ++i) CHECK(fixture.send(post_to(server.url())));
  CHECK(server.accepted() == 1);
}

TEST_CASE("a handle that is used again keeps nothing of the request before") {
  Fixture fixture;
  std::string received;
  RawServer server(fixture.loop, [&received](const std::string& request) {
    received = request;
    return RawServer::Answer{std::string(ok_answer)};
  });
  const auto request_line = [&received] { return received.substr(0, received.find('\r')); };
  HttpRequest post = post_to(server.url());
  post.headers.emplace_back("X-Only: here");
  HttpRequest get = post_to(server.url(), "");
  get.method = "GET";
  HttpRequest remove = post_to(server.url(), "");
  remove.method = "DELETE";
  for (int i = 0; i < 2; ++i) {
    REQUIRE(fixture.send(post));
    CHECK(request_line() == "POST / HTTP/1.1");
    CHECK(received.find("X-Only: here\r\n") != std::string::npos);
    CHECK(received.ends_with("\r\n\r\nquestion"));
    REQUIRE(fixture.send(get));
    CHECK(request_line() == "GET / HTTP/1.1");
    CHECK(received.find("X-Only") == std::string::npos);
    CHECK(received.find("Content-Length") == std::string::npos);
    CHECK(received.ends_with("\r\n\r\n"));
    REQUIRE(fixture.send(remove));
    CHECK(request_line() == "DELETE / HTTP/1.1");
  }
  CHECK(server.accepted() == 1);
}

TEST_CASE("an idle connection that the other side has closed does not keep the loop turning") {
  Fixture fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{std::string(ok_answer), /*close=*/true};
  });
  REQUIRE(fixture.send(post_to(server.url())));
  const uint64_t turn = fixture.loop.turn();
  run_task(fixture.loop, fixture.clock,
           sleep_until(fixture.clock, fixture.clock.now_ns() + 100 * ns_per_ms));
  CHECK(fixture.loop.turn() - turn < 20);
  REQUIRE(fixture.send(post_to(server.url())));
  CHECK(server.accepted() == 2);
}

TEST_CASE("what cannot be sent is not_sent, and free") {
  Fixture fixture;
  std::string url;
  {
    const RawServer gone(fixture.loop, [](const std::string&) { return std::nullopt; });
    url = gone.url();
  }
  const auto kind_of = [&](HttpRequest request) {
    const HttpResult got = fixture.send(std::move(request));
    REQUIRE_FALSE(got);
    CHECK_FALSE(got.error().message.empty());
    return got.error().kind;
  };
  CHECK(kind_of(post_to(url)) == Kind::not_sent);
  CHECK(kind_of(post_to("file:///etc/passwd")) == Kind::not_sent);
  CHECK(kind_of(post_to("http://")) == Kind::not_sent);
  CHECK(kind_of(post_to(url + "\r\nX: y")) == Kind::not_sent);
  HttpRequest smuggling = post_to(url);
  smuggling.headers.emplace_back("A: b\nC: d");
  CHECK(kind_of(std::move(smuggling)) == Kind::not_sent);
}

TEST_CASE("a TLS handshake that fails is not_sent") {
  Fixture fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{"this is not TLS", true};
  });
  std::string url = server.url();
  url.replace(0, 4, "https");
  const HttpResult got = fixture.send(post_to(url));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::not_sent);
}

TEST_CASE("a request that was taken and not answered is unanswered") {
  Fixture fixture;
  std::string bytes;
  SUBCASE("closed") {}
  SUBCASE("garbage") {
    bytes = "hello there\r\n\r\n";
  }
  SUBCASE("cut off in the body") {
    bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
  }
  RawServer server(fixture.loop,
                   [&](const std::string& received) -> std::optional<RawServer::Answer> {
                     if (!is_whole(received)) return std::nullopt;
                     return RawServer::Answer{bytes, true};
                   });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::unanswered);
}

TEST_CASE("a kept connection that dies under a request does not make it go out twice") {
  Fixture fixture;
  int requests = 0;
  RawServer server(fixture.loop,
                   [&](const std::string& received) -> std::optional<RawServer::Answer> {
                     if (!is_whole(received)) return std::nullopt;
                     ++requests;
                     if (requests == 1) return RawServer::Answer{std::string(ok_answer)};
                     return RawServer::Answer{"", true};
                   });
  CHECK(fixture.send(post_to(server.url())));
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::unanswered);
  CHECK(requests == 2);
}

TEST_CASE("no answer in time is timed_out") {
  Fixture fixture;
  RawServer server(fixture.loop, [](const std::string&) { return std::nullopt; });
  HttpRequest request = post_to(server.url());
  request.timeout_ms = 30;
  const HttpResult got = fixture.send(std::move(request));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::timed_out);
}

TEST_CASE("an answer over its limit is too_large; one just at it is not") {
  Fixture fixture;
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  HttpRequest request = post_to(server.url());
  request.response_bytes_max = 2;
  CHECK(fixture.send(request));
  request.response_bytes_max = 1;
  const HttpResult got = fixture.send(request);
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::too_large);
}

TEST_CASE("a successful stream of events goes to its sink, any other body into the response") {
  struct Sink final : BodySink {
    void begin(const HttpFields& headers) override { type = find_field(headers, "content-type"); }
    bool take(std::string_view bytes) override {
      taken += bytes;
      return taken.size() < 100;
    }
    size_t bytes() const override { return taken.size(); }
    std::string type;
    std::string taken;
  };
  Fixture fixture;
  Sink sink;
  std::string answer;
  RawServer server(fixture.loop, [&](const std::string&) { return RawServer::Answer{answer}; });
  const auto send = [&](const std::string& head, const std::string& body) {
    answer = "HTTP/1.1 " + head + "\r\nContent-Length: " + std::to_string(body.size()) +
             "\r\n\r\n" + body;
    HttpRequest request = post_to(server.url());
    request.event_stream = &sink;
    return fixture.send(std::move(request));
  };
  const HttpResult streamed =
      send("200 OK\r\nContent-Type: Text/Event-Stream; charset=x", "data: a");
  REQUIRE(streamed);
  CHECK(sink.type.starts_with("Text/Event-Stream"));
  CHECK(sink.taken == "data: a");
  CHECK(streamed->body.empty());
  CHECK(streamed->first_byte_ns.has_value());
  CHECK(send("429 Slow\r\nContent-Type: text/event-stream", "slow")->body == "slow");
  CHECK(send("200 OK\r\nContent-Type: application/json", "{}")->body == "{}");
  CHECK(sink.taken == "data: a");
  const HttpResult endless =
      send("200 OK\r\nContent-Type: text/event-stream", std::string(100, 'x'));
  REQUIRE_FALSE(endless);
  CHECK(endless.error().kind == Kind::too_large);
}

TEST_CASE("endless headers are too_large") {
  Fixture fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    std::string bytes = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 1000; ++i) bytes += "X-Filler: " + std::string(90, 'x') + "\r\n";
    return RawServer::Answer{bytes};
  });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::too_large);
}

TEST_CASE("abort ends a request under way, and one that has not begun") {
  Fixture fixture;
  AbortToken abort;
  RawServer server(fixture.loop,
                   [&](const std::string& received) -> std::optional<RawServer::Answer> {
                     if (is_whole(received)) abort.abort();
                     return std::nullopt;
                   });
  for (int i = 0; i < 2; ++i) {
    const HttpResult got = fixture.send(post_to(server.url()), &abort);
    REQUIRE_FALSE(got);
    CHECK(got.error().kind == Kind::aborted);
  }
  CHECK(server.accepted() == 1);
}

TEST_CASE("abort after the answer is harmless") {
  Fixture fixture;
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  AbortToken abort;
  CHECK(fixture.send(post_to(server.url()), &abort));
  abort.abort();
}

TEST_CASE("a request whose task is destroyed leaves nothing behind") {
  Fixture fixture;
  std::optional<Task<HttpResult>> request;
  RawServer server(fixture.loop, [&](const std::string&) {
    fixture.loop.post([&] {
      request.reset();
      fixture.loop.stop();
    });
    return std::nullopt;
  });
  request.emplace(fixture.client.send(post_to(server.url()), nullptr));
  auto awaiter = std::move(*request).operator co_await();
  CHECK(awaiter.await_suspend(std::noop_coroutine()));
  fixture.loop.run();
  CHECK(server.accepted() == 1);
}

TEST_CASE("five hundred requests wait at the same time, and each gets its own answer") {
  Fixture fixture;
  constexpr int count = 500;
  int waiting = 0;
  Signal none;
  std::vector<std::unique_ptr<Signal>> gates;
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  const auto handler = [&](HttpIncoming incoming) -> Task<HttpReply> {
    Signal& gate = *gates.emplace_back(std::make_unique<Signal>());
    // The last to come opens the gates: all of them wait at once.
    if (++waiting == count) {
      for (const auto& each : gates) each->raise();
    }
    co_await gate.wait();
    HttpReply reply;
    reply.body = "answer to " + incoming.body;
    co_return reply;
  };
  const auto server = HttpServer::start(fixture.loop, fixture.clock, options, handler);
  REQUIRE(server);
  Crowd crowd{&fixture.client, "http://" + (*server)->address() + "/", count};
  run_task(fixture.loop, fixture.clock, ask_all(&crowd));
  CHECK(crowd.answered == count);
}

TEST_CASE("names are looked up beside the loop: abort and time-out do not wait, others go on") {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  Fixture fixture({}, [answered](const std::string& host) -> Result<Resolver::Addresses> {
    if (host == "slow.example") answered.wait();
    if (host == "nowhere.example") {
      return tl::unexpected(Error{Error::Action::retry_later, {}, "cannot resolve " + host});
    }
    return Resolver::Addresses{"127.0.0.1"};
  });
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  const auto at = [&server](const std::string& host) {
    std::string url = server.url();
    return post_to(url.replace(url.find("127.0.0.1"), 9, host));
  };
  AbortToken abort;
  std::optional<HttpResult> aborted;
  const auto ask_slow = [&]() -> Task<void> {
    aborted = co_await fixture.client.send(at("slow.example"), &abort);
  };
  spawn(ask_slow());
  CHECK(fixture.send(at("quick.example")));
  HttpRequest late = at("slow.example");
  late.timeout_ms = 50;
  const HttpResult timed_out = fixture.send(std::move(late));
  REQUIRE_FALSE(timed_out);
  CHECK(timed_out.error().kind == Kind::not_sent);
  CHECK(timed_out.error().message.find("slow.example") != std::string::npos);
  const HttpResult nowhere = fixture.send(at("nowhere.example"));
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().kind == Kind::not_sent);
  CHECK(nowhere.error().message == "cannot resolve nowhere.example");
  CHECK_FALSE(aborted);
  abort.abort();
  REQUIRE(aborted);
  CHECK((*aborted).error().kind == Kind::aborted);
  answer.set_value();
  CHECK(fixture.send(at("slow.example")));
}

TEST_CASE("a name that points elsewhere by now is followed, and the next address tried") {
  Resolver::Addresses addresses = {"127.0.0.1"};
  Fixture fixture({}, [&addresses](const std::string&) { return addresses; });
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{std::string(ok_answer), true};
  });
  std::string url = server.url();
  url.replace(url.find("127.0.0.1"), 9, "moving.example");
  CHECK(fixture.send(post_to(url)));
  addresses = {"127.0.0.9", "fe80::1%lo", "::1", "127.0.0.1"};
  run_task(fixture.loop, fixture.clock,
           sleep_until(fixture.clock, fixture.clock.now_ns() + 5100 * ns_per_ms));
  CHECK(fixture.send(post_to(url)));
  CHECK(server.accepted() == 2);
}

TEST_CASE("idle connections that the other side closes are closed, and engines without use go") {
  HttpClientLimits limits;
  limits.look_interval_ms = 1100;  // curl looks for dead connections once a second
  Fixture fixture(limits);
  constexpr int count = 300;  // more than one engine
  int waiting = 0;
  std::string url;
  std::vector<std::unique_ptr<Signal>> gates;
  {
    HttpServerOptions options;
    options.address = "127.0.0.1:0";
    const auto server = HttpServer::start(
        fixture.loop, fixture.clock, options, [&](HttpIncoming incoming) -> Task<HttpReply> {
          Signal& gate = *gates.emplace_back(std::make_unique<Signal>());
          if (++waiting == count) {
            for (const auto& each : gates) each->raise();
          }
          co_await gate.wait();
          HttpReply reply;
          reply.body = "answer to " + incoming.body;
          co_return reply;
        });
    REQUIRE(server);
    url = "http://" + (*server)->address();
    Crowd crowd{&fixture.client, url, count};
    run_task(fixture.loop, fixture.clock, ask_all(&crowd));
    CHECK(crowd.answered == count);
  }
  wait_until(fixture, [&url] { return half_closed(url) > 0; });
  wait_until(fixture, [&url] { return half_closed(url) == 0; });
}

TEST_CASE("an engine that nobody has used for a while is given up with its connections") {
  HttpClientLimits limits;
  limits.look_interval_ms = 10;
  limits.engine_idle_ms = 50;
  Fixture fixture(limits);
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  for (int i = 1; i <= 2; ++i) {
    CHECK(fixture.send(post_to(server.url())));
    CHECK(server.open() == 1);
    CHECK(server.accepted() == i);
    wait_until(fixture, [&server] { return server.open() == 0; });
  }
}

TEST_CASE("an answer that is nothing but extensions of its chunks is too_large") {
  HttpClientLimits limits;
  limits.look_interval_ms = 10;
  Fixture fixture(limits);
  const int listening = listen_on("127.0.0.1:0", "--listen").value();
  fcntl(listening, F_SETFL, fcntl(listening, F_GETFL) & ~O_NONBLOCK);
  std::thread sender([listening] {
    const int fd = accept(listening, nullptr, nullptr);
    std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;";
    while (write(fd, bytes.data(), bytes.size()) > 0) bytes.assign(4096, 'x');
    close(fd);
  });
  const HttpResult got = fixture.send(post_to("http://" + bound_address(listening)));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::too_large);
  sender.join();
  close(listening);
}

TEST_CASE("a connection that the loop cannot watch ends its request, and nothing is thrown") {
  Fixture fixture;
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  // libuv takes the next descriptor for one that it watches already.
  const int next = eventfd(0, EFD_NONBLOCK);
  FdWatch taken(fixture.loop, next, [](bool, bool) {});
  taken.want(true, false);
  fixture.loop.post([&fixture] { fixture.loop.stop(); });
  fixture.loop.run();
  close(next);
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE_FALSE(got);
  CHECK(got.error().message == "the system watches no further connection");
}

TEST_CASE("answers beyond the memory for them wait for each other, and all come") {
  HttpClientLimits limits;
  limits.answer_bytes_max = int64_t{16} << 20;
  Fixture fixture(limits);
  const std::string body(size_t{5} << 20, 'x');
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  const auto server = HttpServer::start(fixture.loop, fixture.clock, options,
                                        [&body](HttpIncoming) -> Task<HttpReply> {
                                          HttpReply reply;
                                          reply.body = body;
                                          co_return reply;
                                        });
  REQUIRE(server);
  constexpr int count = 10;
  int answered = 0;
  int64_t most_bytes = 0;
  Signal all;
  const auto ask_one = [&]() -> Task<void> {
    HttpRequest request = post_to("http://" + (*server)->address());
    request.response_bytes_max = int64_t{8} << 20;
    const HttpResult got = co_await fixture.client.send(std::move(request), nullptr);
    CHECK(got);
    CHECK((got && got->body == body));
    most_bytes = std::max(most_bytes, fixture.client.answer_bytes());
    if (++answered == count) all.raise();
  };
  const auto ask_each = [&]() -> Task<void> {
    for (int i = 0; i < count; ++i) spawn(ask_one());
    co_await all.wait();
  };
  run_task(fixture.loop, fixture.clock, ask_each());
  CHECK(answered == count);
  CHECK(most_bytes <= (int64_t{16} << 20) + 2 * (int64_t{5} << 20));
  CHECK(fixture.client.answer_bytes() == 0);
}

}  // namespace sluice
