#include "runtime/http_client.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "file_descriptor.h"
#include "json_text.h"
#include "runtime/curl_http_client.h"
#include "runtime/fd_watch.h"
#include "runtime/http_server.h"
#include "runtime/plain_http_client.h"
#include "runtime/signal.h"
#include "runtime/wire_http_client.h"
#include "support/raw_server.h"
#include "support/run_co.h"

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

template <class Client>
struct Fixture {
  explicit Fixture(HttpClientLimits limits = {},
                   Resolver::LookUp look_up = &Resolver::look_up_in_system)
      : common(loop, clock, limits, std::move(look_up)) {}

  Loop loop;
  SystemClock clock{loop};
  HttpCommon common;
  Client client{common};

  HttpResult send(HttpRequest request, AbortToken* abort = nullptr) {
    return run_co(loop, clock, client.send(std::move(request), abort));
  }
};

// Runs the loop until then.
template <class Client, class Condition>
void wait_until(Fixture<Client>& fixture, Condition is_true) {
  const int64_t deadline_ns = fixture.clock.now_ns() + 20 * ns_per_s;
  while (!is_true() && fixture.clock.now_ns() < deadline_ns) {
    run_co(fixture.loop, fixture.clock,
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

// 127.0.0.2 at a port with a full queue: who wants to connect hears nothing.
struct MutePort {
  explicit MutePort(int port = 0) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.2", &address.sin_addr);
    auto* where = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = sizeof address;
    REQUIRE(bind(listener.get(), where, bytes) == 0);
    REQUIRE(getsockname(listener.get(), where, &bytes) == 0);
    REQUIRE(listen(listener.get(), 0) == 0);
    number = ntohs(address.sin_port);
    for (int i = 0; i < 4; ++i) {
      waiting.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      // Under way, or in the queue: either fills it.
      [[maybe_unused]] const int begun = connect(waiting.back().get(), where, bytes);
    }
  }

  FileDescriptor listener{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::vector<FileDescriptor> waiting = {};
  int number = 0;
};

struct Crowd {
  HttpClient* client;
  std::string url;
  int expected;
  int answered = 0;
  Signal all_answered = {};
};

Co<void> ask(Crowd* crowd, int number) {
  HttpRequest request = post_to(crowd->url, std::to_string(number));
  const HttpResult result = co_await crowd->client->send(std::move(request), nullptr);
  if (result && result->body == "answer to " + std::to_string(number)) ++crowd->answered;
  if (--crowd->expected == 0) crowd->all_answered.raise();
}

Co<void> ask_all(Crowd* crowd) {
  const int count = crowd->expected;
  for (int i = 0; i < count; ++i) spawn(ask(crowd, i));
  co_await crowd->all_answered.wait();
}

}  // namespace

TEST_CASE_TEMPLATE("an answer comes with status, lower-case headers and body, whatever the status",
                   Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
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

TEST_CASE_TEMPLATE("a large body is escaped on its way, and given back before the answer comes",
                   Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  std::string received;
  RawServer server(fixture.loop, [&](const std::string& bytes) -> std::optional<RawServer::Answer> {
    received = bytes;
    if (!bytes.ends_with("small question")) return std::nullopt;
    return RawServer::Answer{std::string(ok_answer)};
  });
  const std::string text(300'000, '\x01');
  const auto counted = std::make_shared<int>();
  AbortToken abort;
  HttpResult got;
  const auto ask_large = [&]() -> Co<void> {
    HttpRequest request = post_to(server.url(), "[");
    request.body.append_json_string(text);
    request.body.append("]");
    request.body.keep(counted);
    got = co_await fixture.client.send(std::move(request), &abort);
  };
  spawn(ask_large());
  const std::string expected = "[" + json_string(text) + "]";
  wait_until(fixture, [&] { return received.ends_with(expected); });
  CHECK(received.find("Content-Length: " + std::to_string(expected.size()) + "\r\n") !=
        std::string::npos);
  CHECK(counted.use_count() == 1);
  abort.abort();
  REQUIRE_FALSE(got);
  CHECK(fixture.send(post_to(server.url(), "small question")));
}

TEST_CASE_TEMPLATE("a redirect is an answer, not followed", Client, CurlHttpClient,
                   PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"};
  });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE(got);
  CHECK(got->status == 302);
  CHECK(server.accepted() == 1);
}

TEST_CASE_TEMPLATE("a proxy that the environment names is not used", Client, CurlHttpClient,
                   PlainHttpClient) {
  Fixture<Client> fixture;
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

TEST_CASE_TEMPLATE("connections are kept and used again", Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  for (int i = 0; i < 5; ++i) CHECK(fixture.send(post_to(server.url())));
  CHECK(server.accepted() == 1);
}

TEST_CASE_TEMPLATE("a handle that is used again keeps nothing of the request before", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
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

TEST_CASE_TEMPLATE(
    "an idle connection that the other side has closed does not keep the loop turning", Client,
    CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{std::string(ok_answer), /*close=*/true};
  });
  REQUIRE(fixture.send(post_to(server.url())));
  const uint64_t turn = fixture.loop.turn();
  run_co(fixture.loop, fixture.clock,
         sleep_until(fixture.clock, fixture.clock.now_ns() + 100 * ns_per_ms));
  CHECK(fixture.loop.turn() - turn < 20);
  REQUIRE(fixture.send(post_to(server.url())));
  CHECK(server.accepted() == 2);
}

TEST_CASE_TEMPLATE("what cannot be sent is not_sent, and free", Client, CurlHttpClient,
                   PlainHttpClient) {
  Fixture<Client> fixture;
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
  Fixture<CurlHttpClient> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{"this is not TLS", true};
  });
  std::string url = server.url();
  url.replace(0, 4, "https");
  const HttpResult got = fixture.send(post_to(url));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::not_sent);
  CHECK(got.error().message == "that port speaks no TLS: is the url http://…?");
}

// curl closes a socket that never was connected without a word.
TEST_CASE_TEMPLATE("descriptors of connections that came to nothing can be watched again", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  const MutePort mute;
  HttpRequest request = post_to(fmt::format("http://127.0.0.2:{}/", mute.number));
  AbortToken abort;
  SUBCASE("in time") {
    request.timeout_ms = 50;
  }
  SUBCASE("aborted") {
    fixture.clock.call_at(fixture.clock.now_ns() + 50 * ns_per_ms, [&abort] { abort.abort(); });
  }
  CHECK_FALSE(fixture.send(std::move(request), &abort));
  std::vector<FileDescriptor> descriptors;
  std::vector<FdWatch> watches;
  for (int i = 0; i < 30; ++i) {
    descriptors.emplace_back(eventfd(0, EFD_CLOEXEC));
    CHECK_NOTHROW(watches.emplace_back(fixture.loop, descriptors.back().get(), [](bool, bool) {}));
  }
}

TEST_CASE_TEMPLATE("a request that was taken and not answered is unanswered", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  std::string bytes;
  bool is_reset = false;
  SUBCASE("closed") {}
  SUBCASE("reset") {
    is_reset = true;
  }
  // The bytes and the reset are seen in one turn of the loop.
  SUBCASE("reset in the body") {
    is_reset = true;
    bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
  }
  SUBCASE("reset in a body without a length") {
    is_reset = true;
    bytes = "HTTP/1.1 200 OK\r\n\r\nhalf";
  }
  SUBCASE("garbage") {
    bytes = "hello there\r\n\r\n";
  }
  SUBCASE("cut off in the body") {
    bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
  }
  RawServer server(fixture.loop,
                   [&](const std::string& received) -> std::optional<RawServer::Answer> {
                     if (!is_whole(received)) return std::nullopt;
                     return RawServer::Answer{bytes, true, is_reset};
                   });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::unanswered);
}

TEST_CASE_TEMPLATE("a kept connection that dies under a request does not make it go out twice",
                   Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
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

TEST_CASE_TEMPLATE("no answer in time is timed_out", Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) { return std::nullopt; });
  HttpRequest request = post_to(server.url());
  request.timeout_ms = 30;
  const HttpResult got = fixture.send(std::move(request));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::timed_out);
}

TEST_CASE_TEMPLATE("an answer over its limit is too_large; one just at it is not", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  HttpRequest request = post_to(server.url());
  request.response_bytes_max = 2;
  CHECK(fixture.send(request));
  request.response_bytes_max = 1;
  const HttpResult got = fixture.send(request);
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::too_large);
  CHECK(got.error().message == "the answer's body is too large");
}

TEST_CASE_TEMPLATE(
    "a successful stream of events goes to its sink, any other body into the response", Client,
    CurlHttpClient, PlainHttpClient) {
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
  Fixture<Client> fixture;
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

TEST_CASE_TEMPLATE("endless headers are too_large", Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    std::string bytes = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 1000; ++i) bytes += "X-Filler: " + std::string(90, 'x') + "\r\n";
    return RawServer::Answer{bytes};
  });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::too_large);
  CHECK(got.error().message == "the answer's headers are too large");
}

TEST_CASE_TEMPLATE("endless words that an answer is on its way are none", Client, CurlHttpClient,
                   PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    std::string bytes;
    for (int i = 0; i < 1000; ++i) {
      bytes += "HTTP/1.1 103 Early Hints\r\nX-Filler: " + std::string(90, 'x') + "\r\n\r\n";
    }
    return RawServer::Answer{bytes};
  });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::unanswered);
}

TEST_CASE_TEMPLATE("abort ends a request under way, and one that has not begun", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
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

TEST_CASE_TEMPLATE("abort after the answer is harmless", Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  AbortToken abort;
  CHECK(fixture.send(post_to(server.url()), &abort));
  abort.abort();
}

TEST_CASE_TEMPLATE("a request whose coroutine is destroyed leaves nothing behind", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  std::optional<Co<HttpResult>> request;
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

TEST_CASE_TEMPLATE("five hundred requests wait at the same time, and each gets its own answer",
                   Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  constexpr int count = 500;
  int waiting = 0;
  Signal none;
  std::vector<std::unique_ptr<Signal>> gates;
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  const auto handler = [&](HttpIncoming incoming) -> Co<HttpReply> {
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
  run_co(fixture.loop, fixture.clock, ask_all(&crowd));
  CHECK(crowd.answered == count);
}

TEST_CASE_TEMPLATE(
    "names are looked up beside the loop: abort and time-out do not wait, others go on", Client,
    CurlHttpClient, PlainHttpClient) {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  Fixture<Client> fixture({}, [answered](const std::string& host) -> Result<Resolver::Addresses> {
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
  const auto ask_slow = [&]() -> Co<void> {
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

TEST_CASE_TEMPLATE("a name that points elsewhere by now is followed, and the next address tried",
                   Client, CurlHttpClient, PlainHttpClient) {
  Resolver::Addresses addresses = {"127.0.0.1"};
  Fixture<Client> fixture({}, [&addresses](const std::string&) { return addresses; });
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{std::string(ok_answer), true};
  });
  std::string url = server.url();
  url.replace(url.find("127.0.0.1"), 9, "moving.example");
  CHECK(fixture.send(post_to(url)));
  addresses = {"127.0.0.9", "fe80::1%lo", "::1", "127.0.0.1"};
  run_co(fixture.loop, fixture.clock,
         sleep_until(fixture.clock, fixture.clock.now_ns() + 5100 * ns_per_ms));
  CHECK(fixture.send(post_to(url)));
  CHECK(server.accepted() == 2);
}

TEST_CASE_TEMPLATE(
    "idle connections that the other side closes are closed, and engines without use go", Client,
    CurlHttpClient, PlainHttpClient) {
  HttpClientLimits limits;
  limits.look_interval_ms = 1100;  // curl looks for dead connections once a second
  Fixture<Client> fixture(limits);
  constexpr int count = 300;  // more than one engine
  int waiting = 0;
  std::string url;
  std::vector<std::unique_ptr<Signal>> gates;
  {
    HttpServerOptions options;
    options.address = "127.0.0.1:0";
    const auto server = HttpServer::start(
        fixture.loop, fixture.clock, options, [&](HttpIncoming incoming) -> Co<HttpReply> {
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
    run_co(fixture.loop, fixture.clock, ask_all(&crowd));
    CHECK(crowd.answered == count);
  }
  wait_until(fixture, [&url] { return half_closed(url) > 0; });
  wait_until(fixture, [&url] { return half_closed(url) == 0; });
}

TEST_CASE_TEMPLATE("an engine that nobody has used for a while is given up with its connections",
                   Client, CurlHttpClient, PlainHttpClient) {
  HttpClientLimits limits;
  limits.look_interval_ms = 10;
  limits.idle_ms = 50;
  Fixture<Client> fixture(limits);
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  for (int i = 1; i <= 2; ++i) {
    CHECK(fixture.send(post_to(server.url())));
    CHECK(server.open() == 1);
    CHECK(server.accepted() == i);
    wait_until(fixture, [&server] { return server.open() == 0; });
  }
}

TEST_CASE("where connections are scarce the one that was idle for longest makes room") {
  Loop loop;
  SystemClock clock(loop);
  HttpClientLimits limits;
  limits.connections_max = 3;
  WireHttpClient client(loop, clock, limits);
  const auto answer = [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; };
  for (const bool by_curl : {false, true}) {
    CAPTURE(by_curl);
    std::vector<std::unique_ptr<RawServer>> servers;
    for (int i = 0; i < 4; ++i) {
      servers.push_back(std::make_unique<RawServer>(loop, answer));
      HttpRequest request = post_to(servers.back()->url());
      if (by_curl) request.headers.emplace_back("Accept: */*");
      CHECK(run_co(loop, clock, client.send(std::move(request), nullptr)));
    }
    const int64_t deadline_ns = clock.now_ns() + 20 * ns_per_s;
    while (servers[0]->open() > 0 && clock.now_ns() < deadline_ns) {
      run_co(loop, clock, sleep_until(clock, clock.now_ns() + ns_per_ms));
    }
    CHECK(servers[0]->open() == 0);
    CHECK(servers[2]->open() == 1);
    CHECK(servers[3]->open() == 1);
  }
}

TEST_CASE_TEMPLATE("an answer with much more around its chunks than in them is none", Client,
                   CurlHttpClient, PlainHttpClient) {
  HttpClientLimits limits;
  limits.look_interval_ms = 10;
  Fixture<Client> fixture(limits);
  std::string chunks;
  for (int i = 0; i < 1000; ++i) chunks += "1\r\n \r\n";
  const std::array<std::pair<std::string_view, std::string>, 2> kinds = {
      {{"1;", std::string(4096, 'x')}, {"", chunks}}};
  for (const auto& [begin, endless] : kinds) {
    const int listening = listen_on("127.0.0.1:0", "--listen").value();
    fcntl(listening, F_SETFL, fcntl(listening, F_GETFL) & ~O_NONBLOCK);
    std::thread sender([listening, begin = begin, &endless = endless] {
      const int fd = accept(listening, nullptr, nullptr);
      std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
      bytes += begin;
      while (write(fd, bytes.data(), bytes.size()) > 0) bytes = endless;
      close(fd);
    });
    HttpRequest request = post_to("http://" + bound_address(listening));
    request.response_bytes_max = int64_t{1} << 30;
    const HttpResult got = fixture.send(std::move(request));
    REQUIRE_FALSE(got);
    CHECK(got.error().kind == Kind::unanswered);
    CHECK(got.error().message == "the answer is padded beyond all measure");
    sender.join();
    close(listening);
  }
}

TEST_CASE_TEMPLATE("an answer in chunks of a few bytes is one, however long", Client,
                   CurlHttpClient, PlainHttpClient) {
  HttpClientLimits limits;
  limits.look_interval_ms = 10;
  Fixture<Client> fixture(limits);
  constexpr std::array<std::pair<int, size_t>, 2> kinds = {{{40'000, 1}, {200'000, 6}}};
  for (const auto& [count, size] : kinds) {
    std::string answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < count; ++i) answer += fmt::format("{}\r\n{:x>{}}\r\n", size, "", size);
    answer += "0\r\n\r\n";
    const int listening = listen_on("127.0.0.1:0", "--listen").value();
    fcntl(listening, F_SETFL, fcntl(listening, F_GETFL) & ~O_NONBLOCK);
    std::thread sender([listening, &answer] {
      const int fd = accept(listening, nullptr, nullptr);
      std::array<char, 4096> question{};
      for (std::string_view got; !got.ends_with("question");) {
        got = {question.data(), static_cast<size_t>(read(fd, question.data(), question.size()))};
      }
      std::string_view left = answer;
      for (ssize_t taken = 0; taken >= 0 && !left.empty();) {
        taken = write(fd, left.data(), left.size());
        left.remove_prefix(taken > 0 ? static_cast<size_t>(taken) : 0);
      }
      close(fd);
    });
    HttpRequest request = post_to("http://" + bound_address(listening));
    request.response_bytes_max = int64_t{8} << 20;
    const HttpResult got = fixture.send(std::move(request));
    REQUIRE(got);
    CHECK(got->body.size() == size * static_cast<size_t>(count));
    sender.join();
    close(listening);
  }
}

TEST_CASE_TEMPLATE(
    "a connection that the loop cannot watch ends its request, and nothing is thrown", Client,
    CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{"HTTP/1.1 204 None\r\nConnection: close\r\n\r\n", true};
  });
  CHECK(fixture.send(post_to(server.url())));  // what is kept has its descriptors now
  // libuv takes the next descriptor for one that it watches already.
  const int next = eventfd(0, EFD_NONBLOCK);
  FdWatch taken(fixture.loop, next, [](bool, bool) {});
  taken.want(true, false);
  fixture.loop.post([&fixture] { fixture.loop.stop(); });
  fixture.loop.run();
  close(next);
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE_FALSE(got);
  CHECK(got.error().message.ends_with("the system watches no further connection"));
}

TEST_CASE_TEMPLATE("answers beyond the memory for them wait for each other, and all come", Client,
                   CurlHttpClient, PlainHttpClient) {
  HttpClientLimits limits;
  limits.answer_bytes_max = int64_t{16} << 20;
  Fixture<Client> fixture(limits);
  const std::string body(size_t{5} << 20, 'x');
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  const auto server = HttpServer::start(fixture.loop, fixture.clock, options,
                                        [&body](HttpIncoming) -> Co<HttpReply> {
                                          HttpReply reply;
                                          reply.body = body;
                                          co_return reply;
                                        });
  REQUIRE(server);
  constexpr int count = 10;
  int answered = 0;
  int64_t most_bytes = 0;
  Signal all;
  const auto ask_one = [&]() -> Co<void> {
    HttpRequest request = post_to("http://" + (*server)->address());
    request.response_bytes_max = int64_t{8} << 20;
    const HttpResult got = co_await fixture.client.send(std::move(request), nullptr);
    CHECK(got);
    CHECK((got && got->body == body));
    most_bytes = std::max(most_bytes, fixture.common.memory.bytes());
    if (++answered == count) all.raise();
  };
  const auto ask_each = [&]() -> Co<void> {
    for (int i = 0; i < count; ++i) spawn(ask_one());
    co_await all.wait();
  };
  run_co(fixture.loop, fixture.clock, ask_each());
  CHECK(answered == count);
  CHECK(most_bytes <= (int64_t{16} << 20) + 2 * (int64_t{5} << 20));
  CHECK(fixture.common.memory.bytes() == 0);
}

TEST_CASE("both clients send the same bytes") {
  const auto sent_by = [](auto& fixture, const std::string& path, HttpRequest request) {
    std::string sent;
    RawServer server(fixture.loop, [&sent](const std::string& received) {
      sent = received;
      return RawServer::Answer{std::string(ok_answer)};
    });
    const std::string url = server.url();
    request.url = url.substr(0, url.size() - 1) + path;
    CHECK(fixture.send(std::move(request)));
    const size_t port = sent.find(url.substr(7, url.size() - 8));
    REQUIRE(port != std::string::npos);
    return sent.erase(port, url.size() - 8);
  };
  Fixture<CurlHttpClient> curl;
  Fixture<PlainHttpClient> plain;
  for (const char* path : {"", "/", "/v1/chat/completions", "?a=b", "/a/../b?c=d&e#f", "/ü?ä=ö"}) {
    CAPTURE(path);
    HttpRequest post = post_to("");
    post.headers.emplace_back("Authorization: Bearer x");
    CHECK(sent_by(plain, path, post) == sent_by(curl, path, post));
    for (const char* method : {"GET", "DELETE"}) {
      HttpRequest request = post_to("", "");
      request.method = method;
      CHECK(sent_by(plain, path, request) == sent_by(curl, path, request));
    }
  }
}

TEST_CASE("what is special or has TLS is left to curl") {
  Fixture<PlainHttpClient> fixture;
  const auto takes = [&](const std::string& url, const std::string& header = "A: b") {
    HttpRequest request = post_to(url);
    request.headers.push_back(header);
    return fixture.client.takes(request);
  };
  CHECK(takes("http://backend:8000/v1"));
  CHECK(takes("HTTP://[::1]/"));
  CHECK_FALSE(takes("https://backend/v1"));
  CHECK_FALSE(takes("http://user:password@backend/"));
  CHECK_FALSE(takes("http://[fe80::1%25lo]/"));
  CHECK_FALSE(takes("http://backend./"));
  CHECK_FALSE(takes("http://"));
  for (const char* header : {"Host: other", "transfer-encoding: chunked", "Content-Length: 1",
                             "Accept:", "no header", "X-Empty;"}) {
    CAPTURE(header);
    CHECK_FALSE(takes("http://backend/", header));
  }
  const HttpResult refused = fixture.send(post_to("https://127.0.0.1:1/"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == Kind::not_sent);
  CHECK(refused.error().message == "not a URL of plain HTTP");

  Loop loop;
  SystemClock clock(loop);
  WireHttpClient wire(loop, clock);
  RawServer server(loop, [](const std::string& received) {
    return RawServer::Answer{received.find("Host: other\r\n") != std::string::npos
                                 ? "HTTP/1.1 201 Made\r\nContent-Length: 0\r\n\r\n"
                                 : std::string(ok_answer)};
  });
  HttpRequest special = post_to(server.url());
  special.headers.emplace_back("Host: other");
  CHECK(run_co(loop, clock, wire.send(std::move(special), nullptr))->status == 201);
  CHECK(run_co(loop, clock, wire.send(post_to(server.url()), nullptr))->status == 200);
}

TEST_CASE_TEMPLATE("a request that the socket does not take at once arrives whole", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  std::string body(size_t{8} << 20, 'x');
  body += "question";
  size_t arrived = 0;
  RawServer server(fixture.loop,
                   [&](const std::string& received) -> std::optional<RawServer::Answer> {
                     if (!is_whole(received)) return std::nullopt;
                     arrived = received.size() - received.find("\r\n\r\n") - 4;
                     return RawServer::Answer{std::string(ok_answer)};
                   });
  CHECK(fixture.send(post_to(server.url(), body)));
  CHECK(arrived == body.size());
}

TEST_CASE_TEMPLATE("an answer before the whole request is one; nothing else goes on its connection",
                   Client, CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string& received) {
    const bool is_large = received.find("Content-Length: 8\r\n") == std::string::npos;
    return RawServer::Answer{is_large ? "HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n"
                                      : std::string(ok_answer)};
  });
  const HttpResult got = fixture.send(post_to(server.url(), std::string(size_t{64} << 20, 'x')));
  REQUIRE(got);
  CHECK(got->status == 413);
  CHECK(fixture.send(post_to(server.url())));
  CHECK(server.accepted() == 2);
}

TEST_CASE_TEMPLATE("bytes behind an answer are nobody's: their connection is closed", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{std::string(ok_answer) + "HTTP/1.1 500 Not yours\r\n\r\n"};
  });
  for (int i = 1; i <= 2; ++i) {
    const HttpResult got = fixture.send(post_to(server.url()));
    REQUIRE(got);
    CHECK(got->body == "ok");
    CHECK(server.accepted() == i);
  }
}

// A server whose connections the test closes when it likes.
struct Accepting {
  Accepting() : fd(listen_on("127.0.0.1:0", "--listen").value()) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  }
  Accepting(const Accepting&) = delete;
  Accepting& operator=(const Accepting&) = delete;
  ~Accepting() { close(fd); }
  std::string url() const { return "http://" + bound_address(fd) + "/"; }

  // Answers one request on a connection of its own.
  int answer_one() const {
    const int connection = accept(fd, nullptr, nullptr);
    answer(connection);
    return connection;
  }
  static void answer(int connection) {
    std::string received(4096, '\0');
    size_t size = 0;
    while (!is_whole(received.substr(0, size))) {
      const ssize_t got = read(connection, received.data() + size, received.size() - size);
      if (got <= 0) return;
      size += static_cast<size_t>(got);
    }
    [[maybe_unused]] const ssize_t sent = write(connection, ok_answer.data(), ok_answer.size());
  }

  int fd;
};

TEST_CASE_TEMPLATE("a kept connection that died just now is not used: nothing was written", Client,
                   CurlHttpClient, PlainHttpClient) {
  bool is_reset = false;
  SUBCASE("closed") {}
  // Of curl such a request is unanswered: it does not say that nothing was written.
  if constexpr (std::is_same_v<Client, PlainHttpClient>) {
    SUBCASE("reset") {
      is_reset = true;
    }
  }
  Fixture<Client> fixture;
  const Accepting server;
  int connection = -1;
  std::thread first([&] { connection = server.answer_one(); });
  CHECK(fixture.send(post_to(server.url())));
  first.join();
  // The loop does not turn before the next request.
  const linger at_once{1, 0};
  if (is_reset) setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(connection);
  std::thread second([&] { connection = server.answer_one(); });
  CHECK(fixture.send(post_to(server.url())));
  second.join();
  close(connection);
}

TEST_CASE_TEMPLATE("an answer that its sender ends while the request is written is one", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{"HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n", /*close=*/true};
  });
  HttpRequest request = post_to(server.url(), std::string(size_t{64} << 20, 'x'));
  const HttpResult got = fixture.send(std::move(request));
  // curl takes the reset for the answer when it sees both at once.
  if (got || std::is_same_v<Client, PlainHttpClient>) {
    REQUIRE(got);
    CHECK(got->status == 413);
  } else {
    CHECK(got.error().kind == Kind::unanswered);
  }
}

TEST_CASE_TEMPLATE("an answer without a length that ends with a reset is none", Client,
                   CurlHttpClient, PlainHttpClient) {
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{"HTTP/1.1 200 OK\r\n\r\nhalf", /*close=*/true, /*reset=*/true};
  });
  HttpRequest request = post_to(server.url(), std::string(size_t{64} << 20, 'x'));
  const HttpResult got = fixture.send(std::move(request));
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::unanswered);
}

TEST_CASE_TEMPLATE("a body comes as it was sent, however it is encoded", Client, CurlHttpClient,
                   PlainHttpClient) {
  Fixture<Client> fixture;
  std::string received;
  RawServer server(fixture.loop, [&received](const std::string& request) {
    received = to_lower(request);
    return RawServer::Answer{
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok"};
  });
  const HttpResult got = fixture.send(post_to(server.url()));
  REQUIRE(got);
  CHECK(got->body == "ok");
  CHECK(received.find("accept-encoding") == std::string::npos);
}

TEST_CASE_TEMPLATE("abort from within the answer ends it", Client, CurlHttpClient,
                   PlainHttpClient) {
  struct Sink final : BodySink {
    void begin(const HttpFields&) override {}
    bool take(std::string_view bytes) override {
      taken += bytes;
      abort.abort();
      return true;
    }
    size_t bytes() const override { return taken.size(); }
    AbortToken abort;
    std::string taken;
  };
  Fixture<Client> fixture;
  RawServer server(fixture.loop, [](const std::string&) {
    return RawServer::Answer{
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"};
  });
  Sink sink;
  HttpRequest request = post_to(server.url());
  request.event_stream = &sink;
  const HttpResult got = fixture.send(std::move(request), &sink.abort);
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::aborted);
  CHECK(sink.taken == "a");
  CHECK(fixture.common.memory.bytes() == 0);
}

TEST_CASE_TEMPLATE(
    "a name being looked up holds nobody: neither a destroyed coroutine nor one aborted before",
    Client, CurlHttpClient, PlainHttpClient) {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  Fixture<Client> fixture({}, [answered](const std::string&) -> Result<Resolver::Addresses> {
    answered.wait();
    return Resolver::Addresses{"127.0.0.1"};
  });
  {
    auto request = fixture.client.send(post_to("http://slow.example/"), nullptr);
    auto awaiter = std::move(request).operator co_await();
    CHECK(awaiter.await_suspend(std::noop_coroutine()));
  }
  AbortToken abort;
  abort.abort();
  const HttpResult got = fixture.send(post_to("http://slow.example/"), &abort);
  REQUIRE_FALSE(got);
  CHECK(got.error().kind == Kind::aborted);
  answer.set_value();
}

TEST_CASE_TEMPLATE("without a descriptor left a request is not_sent, and goes when there is one",
                   Client, CurlHttpClient, PlainHttpClient) {
  rlimit usual{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &usual) == 0);
  // Threads of earlier cases may close descriptors of their own meanwhile, each once. A client of
  // its own for each try: it must have no connection from the one before.
  bool is_not_sent = false;
  for (int i = 0; i < 10 && !is_not_sent; ++i) {
    Fixture<Client> fixture;
    RawServer server(fixture.loop,
                     [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
    const int next = eventfd(0, EFD_NONBLOCK);
    close(next);
    const rlimit none{static_cast<rlim_t>(next), usual.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    const HttpResult got = fixture.send(post_to(server.url()));
    REQUIRE(setrlimit(RLIMIT_NOFILE, &usual) == 0);
    is_not_sent = !got && got.error().kind == Kind::not_sent;
    CHECK(fixture.send(post_to(server.url())));
  }
  CHECK(is_not_sent);
}

TEST_CASE("what has been written of a request takes no memory while its answer is awaited") {
  Fixture<PlainHttpClient> fixture;
  constexpr size_t body_bytes = size_t{16} << 20;
  const Accepting server;
  std::promise<void> release;
  std::atomic<bool> is_read = false;
  std::thread reader([&] {
    const int connection = accept(server.fd, nullptr, nullptr);
    std::array<char, 65536> piece{};
    std::string end;
    while (!is_whole(end)) {
      const ssize_t got = read(connection, piece.data(), piece.size());
      if (got <= 0) break;
      end.append(piece.data(), static_cast<size_t>(got));
      end.erase(0, end.size() - std::min(end.size(), std::string_view("question").size()));
    }
    is_read = true;
    release.get_future().wait();
    [[maybe_unused]] const ssize_t sent = write(connection, ok_answer.data(), ok_answer.size());
    close(connection);
  });
  const auto taken = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const size_t before = taken();
  HttpRequest request = post_to(server.url(), std::string(body_bytes, 'x') + "question");
  std::optional<HttpResult> got;
  const auto ask = [&]() -> Co<void> {
    got = co_await fixture.client.send(std::move(request), nullptr);
  };
  spawn(ask());
  wait_until(fixture, [&] { return is_read.load(); });
  CHECK(taken() < before + body_bytes / 4);
  release.set_value();
  wait_until(fixture, [&] { return got.has_value(); });
  reader.join();
}

TEST_CASE("an address that says nothing holds up the next one for a moment only") {
  Fixture<PlainHttpClient> fixture({}, [](const std::string&) {
    return Resolver::Addresses{"127.0.0.2", "127.0.0.1"};
  });
  RawServer server(fixture.loop,
                   [](const std::string&) { return RawServer::Answer{std::string(ok_answer)}; });
  std::string url = server.url();
  const std::string port = url.substr(url.rfind(':') + 1);
  const MutePort mute(std::stoi(port));
  const int64_t begun_ns = fixture.clock.now_ns();
  CHECK(fixture.send(post_to(url.replace(url.find("127.0.0.1"), 9, "two.example"))));
  CHECK(fixture.clock.now_ns() - begun_ns < 5 * ns_per_s);

  // And one that has no other is given up in time, unsent; or when it must not be sent any more.
  HttpRequest late = post_to("http://127.0.0.2:" + port);
  late.timeout_ms = 50;
  const HttpResult timed_out = fixture.send(late);
  REQUIRE_FALSE(timed_out);
  CHECK(timed_out.error().kind == Kind::not_sent);
  late.timeout_ms = 30'000;
  late.send_by_ns = fixture.clock.now_ns() + 50 * ns_per_ms;
  const HttpResult not_sent = fixture.send(late);
  REQUIRE_FALSE(not_sent);
  CHECK(not_sent.error().kind == Kind::aborted);
  AbortToken abort;
  fixture.clock.call_at(fixture.clock.now_ns() + 50 * ns_per_ms, [&abort] { abort.abort(); });
  late.send_by_ns.reset();
  const HttpResult aborted = fixture.send(late, &abort);
  REQUIRE_FALSE(aborted);
  CHECK(aborted.error().kind == Kind::aborted);
}

}  // namespace sluice
