#include "runtime/http_server.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "runtime/signal.h"
#include "runtime/wire_http_client.h"
#include "support/run_co.h"

namespace sluice {
namespace {

HttpServerOptions small_server() {
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  options.body_bytes_max = 1 << 20;
  return options;
}

HttpRequest request_to(const HttpServer& server, std::string method, std::string path,
                       std::string body = {}) {
  return {std::move(method),
          "http://" + server.address() + path,
          {"Content-Type: text/plain", "X-Color: Blue"},
          std::move(body),
          30'000,
          1 << 20};
}

// Tells what it was asked.
Co<HttpReply> describe(HttpIncoming incoming) {
  HttpReply reply;
  reply.content_type = "text/plain";
  reply.body = incoming.method + " " + incoming.path +
               " n=" + std::string(find_field(incoming.query, "n", "?")) +
               " color=" + std::string(incoming.header("x-color")) +
               " bytes=" + std::to_string(incoming.body.size());
  reply.headers.emplace_back("X-Arrived", incoming.arrived_ns > 0 ? "yes" : "no");
  co_return reply;
}

struct Fixture {
  Loop loop;
  SystemClock clock{loop};
  WireHttpClient client{loop, clock};

  std::unique_ptr<HttpServer> start(HttpServer::Handler handler,
                                    HttpServerOptions options = small_server()) {
    auto server = HttpServer::start(loop, clock, std::move(options), std::move(handler));
    REQUIRE(server);
    return std::move(*server);
  }
  HttpResult send(HttpRequest request) {
    return run_co(loop, clock, client.send(std::move(request), nullptr));
  }
};

// Two parts larger than what the daemon takes at a time, then the end.
Co<Result<std::string>> part_after_a_wait(Clock& clock, std::shared_ptr<int> parts) {
  co_await sleep_until(clock, clock.now_ns() + ns_per_ms);
  co_return (*parts)++ < 2 ? std::string(100'000, 'p') : std::string();
}

// Takes a body in pieces, resting after each; `/refuse` answers before it has read any of it.
Co<HttpReply> sum_pieces(Clock& clock, HttpIncoming incoming) {
  HttpReply reply;
  if (incoming.path == "/refuse") {
    reply.status = 401;
    co_return reply;
  }
  size_t bytes = 0;
  size_t largest = 0;
  while (true) {
    Co<Result<std::string>> next = incoming.next_piece();
    Result<std::string> piece = co_await std::move(next);
    REQUIRE(piece);
    if (piece->empty()) break;
    bytes += piece->size();
    largest = std::max(largest, piece->size());
    co_await sleep_until(clock, clock.now_ns() + ns_per_ms);
  }
  reply.body = std::to_string(bytes) + (largest < 1'200'000 ? " in small pieces" : " at once");
  co_return reply;
}

int connect_to(const HttpServer& server) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(server.port()));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  return fd;
}

// A client that sends `begun`, all of it before the server runs, then a byte every 100 ms.
class SlowClient final {
 public:
  SlowClient(const HttpServer& server, std::string_view begun) : fd_(connect_to(server)) {
    const int buffer_bytes = 1 << 20;
    setsockopt(fd_, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
    REQUIRE(::send(fd_, begun.data(), begun.size(), MSG_DONTWAIT) ==
            static_cast<ssize_t>(begun.size()));
  }
  ~SlowClient() { close(fd_); }
  SlowClient(const SlowClient&) = delete;
  SlowClient& operator=(const SlowClient&) = delete;

  // Whether the server ends it before `deadline_ns`, though it sends on or waits in silence.
  Co<bool> is_cut_off(Clock& clock, int64_t deadline_ns, bool is_silent = false) {
    while (clock.now_ns() < deadline_ns) {
      const char byte = 'x';
      if (!is_silent) ::send(fd_, &byte, 1, MSG_NOSIGNAL);
      std::array<char, 4096> refusal;  // libmicrohttpd 1.0 sends one first
      const ssize_t received = recv(fd_, refusal.data(), refusal.size(), MSG_DONTWAIT);
      if (received == 0 || (received < 0 && errno != EAGAIN)) co_return true;
      co_await sleep_until(clock, clock.now_ns() + 100 * ns_per_ms);
    }
    co_return false;
  }

 private:
  int fd_;
};

}  // namespace

TEST_CASE("the handler sees method, path, query, headers and body, and its reply arrives whole") {
  Fixture fixture;
  const auto server = fixture.start(describe);
  auto got = fixture.send(request_to(*server, "GET", "/a%20b?n=5"));
  REQUIRE(got);
  CHECK(got->status == 200);
  CHECK(got->body == "GET /a%20b n=5 color=Blue bytes=0");
  CHECK(find_field(got->headers, "content-type") == "text/plain");
  CHECK(find_field(got->headers, "x-arrived") == "yes");
  auto posted = fixture.send(request_to(*server, "POST", "/x", std::string(500'000, 'p')));
  REQUIRE(posted);
  CHECK(posted->body == "POST /x n=? color=Blue bytes=500000");
}

TEST_CASE("a body over the limit gets 413, and the server goes on") {
  Fixture fixture;
  const auto server = fixture.start(describe);
  const auto refused = fixture.send(request_to(*server, "POST", "/", std::string(3 << 20, 'p')));
  REQUIRE(refused);
  CHECK(refused->status == 413);
  const auto far_over = fixture.send(request_to(*server, "POST", "/", std::string(9 << 20, 'p')));
  REQUIRE_FALSE(far_over);
  const auto next = fixture.send(request_to(*server, "GET", "/"));
  REQUIRE(next);
  CHECK(next->status == 200);
}

TEST_CASE("a body is read in pieces, however slow its reader is, up to its own limit") {
  Fixture fixture;
  HttpServerOptions options = small_server();
  options.is_read_in_pieces = [](std::string_view method, std::string_view) {
    return method == "POST";
  };
  options.pieces_bytes_max = 8 << 20;
  const auto server = fixture.start(
      [&fixture](HttpIncoming incoming) { return sum_pieces(fixture.clock, std::move(incoming)); },
      options);
  const auto sum = fixture.send(request_to(*server, "POST", "/", std::string(7'000'000, 'p')));
  REQUIRE(sum);
  CHECK(sum->body == "7000000 in small pieces");
  const auto none = fixture.send(request_to(*server, "POST", "/"));
  REQUIRE(none);
  CHECK(none->body == "0 in small pieces");
  const auto early =
      fixture.send(request_to(*server, "POST", "/refuse", std::string(3 << 20, 'p')));
  REQUIRE(early);
  CHECK(early->status == 401);
  CHECK(server->open_requests() == 0);
}

TEST_CASE("a handler may drop the connection without an answer") {
  Fixture fixture;
  const auto server = fixture.start([](HttpIncoming) -> Co<HttpReply> {
    HttpReply reply;
    reply.drop = true;
    co_return reply;
  });
  const auto dropped = fixture.send(request_to(*server, "POST", "/", "p"));
  REQUIRE_FALSE(dropped);
  CHECK(dropped.error().kind == HttpFailure::Kind::unanswered);
}

TEST_CASE("who sends headers or a body byte by byte is cut off, and nobody else") {
  Fixture fixture;
  HttpServerOptions options = small_server();
  options.request_timeout_s = 1;
  auto server = HttpServer::start(fixture.loop, fixture.clock, options, describe);
  REQUIRE(server);
  for (const char* begun :
       {"GET /", "GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n"}) {
    CAPTURE(begun);
    SlowClient slow(**server, begun);
    const int64_t deadline_ns = fixture.clock.now_ns() + 20 * ns_per_s;
    CHECK(run_co(fixture.loop, fixture.clock, slow.is_cut_off(fixture.clock, deadline_ns)));
  }
  CHECK(fixture.send(request_to(**server, "GET", "/")));
}

TEST_CASE("who brings more arguments than the daemon has memory for is cut off at once") {
  Fixture fixture;
  HttpServerOptions options = small_server();
  options.header_bytes_max = 4096;
  options.request_timeout_s = 60;
  auto server = HttpServer::start(fixture.loop, fixture.clock, options, describe);
  REQUIRE(server);
  std::string begun = "GET /?a";
  for (int i = 1; i < 100; ++i) begun += "&a";
  SlowClient client(**server, begun + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const int64_t deadline_ns = fixture.clock.now_ns() + 10 * ns_per_s;
  CHECK(run_co(fixture.loop, fixture.clock,
               client.is_cut_off(fixture.clock, deadline_ns, /*is_silent=*/true)));
}

TEST_CASE("bodies that together take more than is allowed are refused for now") {
  Fixture fixture;
  HttpServerOptions options = small_server();
  options.bodies_bytes_max = 1000;
  auto server = HttpServer::start(fixture.loop, fixture.clock, options, describe);
  REQUIRE(server);
  const auto refused = fixture.send(request_to(**server, "POST", "/", std::string(2000, 'p')));
  REQUIRE(refused);
  CHECK(refused->status == 503);
  CHECK(find_field(refused->headers, "retry-after") == "5");
  const auto next = fixture.send(request_to(**server, "POST", "/", std::string(500, 'p')));
  REQUIRE(next);
  CHECK(next->status == 200);
}

const std::string chunked = "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST_CASE("bodies in chunks of a byte leave the loop to others, and arrive whole") {
  constexpr size_t bytes = 20'000;
  constexpr int clients = 40;
  Fixture fixture;
  int whole = 0;
  const auto server = fixture.start([&](HttpIncoming incoming) {
    if (incoming.body == std::string(bytes, 'p')) ++whole;
    return describe(std::move(incoming));
  });
  std::string body = chunked;
  for (size_t i = 0; i < bytes; ++i) body += "1\r\np\r\n";
  std::list<SlowClient> senders;
  for (int i = 0; i < clients; ++i) senders.emplace_back(*server, body + "0\r\n\r\n");
  REQUIRE(fixture.send(request_to(*server, "GET", "/")));
  REQUIRE(fixture.send(request_to(*server, "GET", "/")));
  CHECK(whole < clients / 2);
  run_co(fixture.loop, fixture.clock, [](Clock& clock, const int& done) -> Co<void> {
    const int64_t deadline_ns = clock.now_ns() + 30 * ns_per_s;
    while (done < clients && clock.now_ns() < deadline_ns) {
      co_await sleep_until(clock, clock.now_ns() + ns_per_ms);
    }
  }(fixture.clock, whole));
  CHECK(whole == clients);
}

TEST_CASE("a server destroyed while bodies wait for their turns cuts them off") {
  Fixture fixture;
  auto server = fixture.start(describe);
  std::string body = chunked;
  for (int i = 0; i < 20'000; ++i) body += "1\r\np\r\n";
  std::list<SlowClient> senders;
  for (int i = 0; i < 20; ++i) senders.emplace_back(*server, body);
  REQUIRE(fixture.send(request_to(*server, "GET", "/")));
  server.reset();
  CHECK(run_co(fixture.loop, fixture.clock,
               senders.front().is_cut_off(fixture.clock, fixture.clock.now_ns() + 5 * ns_per_s)));
}

TEST_CASE("a chunk whose size has no end takes nothing of the loop, and is cut off") {
  Fixture fixture;
  const auto server = fixture.start(describe);
  const std::string size = "1;" + std::string(31 << 10, 'a');
  const size_t room_bytes = static_cast<size_t>(small_server().header_bytes_max) - chunked.size();
  for (const std::string& begun :
       {chunked + size, chunked + size + std::string(100'000, 'a'),
        chunked + size.substr(0, room_bytes * 3 / 4), chunked + "1\r\np\r\n" + size}) {
    SlowClient endless(*server, begun);
    REQUIRE(fixture.send(request_to(*server, "GET", "/")));
    const uint64_t turn = fixture.loop.turn();
    run_co(fixture.loop, fixture.clock,
           sleep_until(fixture.clock, fixture.clock.now_ns() + 300 * ns_per_ms));
    CHECK(fixture.loop.turn() - turn < 100);
    CHECK(run_co(fixture.loop, fixture.clock,
                 endless.is_cut_off(fixture.clock, fixture.clock.now_ns() + 5 * ns_per_s)));
  }
}

// As many bytes as the query says; from /parts in parts, but for the first 10.
Co<HttpReply> bytes_asked_for(HttpIncoming incoming) {
  const std::string text(std::stoul(std::string(find_field(incoming.query, "bytes"))), 'a');
  HttpReply reply;
  reply.body = text;
  reply.headers.emplace_back("Location", "/made/1");
  if (incoming.path == "/parts") {
    reply.body = text.substr(0, 10);
    reply.more = [rest = std::make_shared<std::string>(text.substr(10))]() {
      return [](std::shared_ptr<std::string> left) -> Co<Result<std::string>> {
        co_return std::exchange(*left, std::string());
      }(rest);
    };
  }
  co_return reply;
}

TEST_CASE("an answer larger than its share is not sent, nor what follows it") {
  Fixture fixture;
  HttpServerOptions options = small_server();
  options.answers_bytes_max = 140'000;
  auto server = HttpServer::start(fixture.loop, fixture.clock, options, bytes_asked_for);
  REQUIRE(server);
  const auto ask = [&](const char* method, const char* target) {
    return fixture.send(request_to(**server, method, target));
  };
  for (int i = 0; i < 3; ++i) {  // what has been sent takes no room
    const auto whole = ask("GET", "/?bytes=65000");
    REQUIRE(whole);
    CHECK(whole->status == 200);
    CHECK(whole->body.size() == 65'000);
    const auto in_parts = ask("GET", "/parts?bytes=65000");
    REQUIRE(in_parts);
    CHECK(in_parts->body.size() == 65'000);
  }
  const auto read = ask("GET", "/?bytes=75000");
  REQUIRE(read);
  CHECK(read->status == 503);
  CHECK(find_field(read->headers, "retry-after") == "5");
  const auto made = ask("POST", "/?bytes=75000");
  REQUIRE(made);
  CHECK(made->status == 504);
  CHECK(find_field(made->headers, "x-should-retry") == "false");
  CHECK(find_field(made->headers, "location") == "/made/1");
  CHECK_FALSE(ask("GET", "/parts?bytes=75000"));
}

TEST_CASE("answers that nobody reads leave room for small ones, and their connections end") {
  Fixture fixture;
  HttpServerOptions options = small_server();
  options.answers_bytes_max = 64 << 20;
  options.idle_timeout_s = 1;
  auto server = HttpServer::start(fixture.loop, fixture.clock, options, bytes_asked_for);
  REQUIRE(server);
  std::list<SlowClient> silent;
  for (int i = 0; i < 3; ++i) {  // two have no room
    silent.emplace_back(**server, "GET /?bytes=17000000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  const auto large = fixture.send(request_to(**server, "GET", "/?bytes=17000000"));
  REQUIRE(large);
  CHECK(large->status == 503);
  const auto small = fixture.send(request_to(**server, "GET", "/?bytes=1000"));
  REQUIRE(small);
  CHECK(small->status == 200);
  const int64_t deadline_ns = fixture.clock.now_ns() + 20 * ns_per_s;
  const auto until_none_is_open = [](Clock& clock, HttpServer& of, int64_t until) -> Co<void> {
    while (of.open_requests() > 0 && clock.now_ns() < until) {
      co_await sleep_until(clock, clock.now_ns() + 20 * ns_per_ms);
    }
  };
  run_co(fixture.loop, fixture.clock, until_none_is_open(fixture.clock, **server, deadline_ns));
  CHECK((*server)->open_requests() == 0);
}

TEST_CASE("answers that nobody without a key reads leave room for the keys at their address") {
  Fixture fixture;
  HttpServerOptions options = small_server();
  options.answers_bytes_max = 64 << 20;
  options.admit = [](const HttpIncoming& incoming) -> HttpAdmission {
    HttpVerdict verdict;
    verdict.client = incoming.header("authorization");
    return verdict;
  };
  auto server = HttpServer::start(fixture.loop, fixture.clock, options, bytes_asked_for);
  REQUIRE(server);
  std::list<SlowClient> silent;
  for (int i = 0; i < 50; ++i) {
    silent.emplace_back(**server, "GET /?bytes=4000000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  HttpRequest request = request_to(**server, "GET", "/?bytes=12000000");
  request.response_bytes_max = 64 << 20;
  const auto nobodys = fixture.send(request);
  REQUIRE(nobodys);
  CHECK(nobodys->status == 503);
  request.headers.emplace_back("Authorization: me");
  const auto mine = fixture.send(request);
  REQUIRE(mine);
  CHECK(mine->status == 200);
}

// "Bearer NAME" is NAME's, at once or after a look; without one it is 401.
HttpVerdict verdict_on(const HttpIncoming& incoming) {
  HttpVerdict verdict;
  verdict.client = incoming.header("authorization");
  if (verdict.client.empty()) {
    verdict.refusal.emplace();
    verdict.refusal->status = 401;
  }
  return verdict;
}

Co<HttpVerdict> verdict_after_look(Clock& clock, const HttpIncoming& incoming) {
  co_await sleep_until(clock, clock.now_ns() + ns_per_ms);
  co_return verdict_on(incoming);
}

TEST_CASE("whom a request is from is known, at once or later, before its body is read") {
  Fixture fixture;
  for (const bool looks : {false, true}) {
    CAPTURE(looks);
    HttpServerOptions options = small_server();
    options.admit = [&](const HttpIncoming& incoming) -> HttpAdmission {
      CHECK(incoming.body.empty());
      if (looks) return verdict_after_look(fixture.clock, incoming);
      return verdict_on(incoming);
    };
    int handled = 0;
    const auto server = fixture.start(
        [&handled](HttpIncoming incoming) {
          ++handled;
          CHECK(incoming.client == "me");
          return describe(std::move(incoming));
        },
        options);
    HttpRequest mine = request_to(*server, "POST", "/", std::string(500'000, 'p'));
    mine.headers.push_back("Authorization: me");
    const auto got = fixture.send(std::move(mine));
    REQUIRE(got);
    CHECK(got->body == "POST / n=? color=Blue bytes=500000");
    for (const size_t bytes : {size_t{0}, size_t{1000}, size_t{500'000}}) {
      const auto refused = fixture.send(request_to(*server, "POST", "/", std::string(bytes, 'p')));
      REQUIRE(refused);
      CHECK(refused->status == 401);
    }
    CHECK(handled == 1);
  }
}

TEST_CASE("a server destroyed while it is looked up whom a request is from cuts it off") {
  Fixture fixture;
  Signal never;
  std::unique_ptr<HttpServer> server;
  HttpServerOptions options = small_server();
  const auto never_known = [&]() -> Co<HttpVerdict> {
    fixture.loop.post([&] { server.reset(); });
    co_await never.wait();
    co_return HttpVerdict();
  };
  options.admit = [&](const HttpIncoming&) -> HttpAdmission { return never_known(); };
  server = fixture.start(describe, options);
  CHECK_FALSE(fixture.send(request_to(*server, "POST", "/", "p")));
}

TEST_CASE("who is served no more is cut off in the middle of a request") {
  Fixture fixture;
  Signal never;
  bool is_served = true;
  HttpServerOptions options = small_server();
  options.admit = [](const HttpIncoming&) -> HttpAdmission { return HttpVerdict{"me", {}}; };
  options.is_still_served = [&is_served](const std::string&) { return is_served; };
  const auto server = fixture.start(
      [&](HttpIncoming) -> Co<HttpReply> {
        is_served = false;
        co_await never.wait();
        co_return HttpReply();
      },
      options);
  CHECK_FALSE(fixture.send(request_to(*server, "GET", "/")));
}

TEST_CASE("a handler can ask whether anybody still waits for its answer") {
  Fixture fixture;
  std::vector<bool> awaited;
  bool is_served = true;
  const auto ask_until_nobody_does = [&](HttpIncoming incoming) -> Co<HttpReply> {
    awaited.push_back(incoming.is_awaited());
    while (incoming.is_awaited()) {
      co_await sleep_until(fixture.clock, fixture.clock.now_ns() + ns_per_ms);
      is_served = incoming.path != "/revoke";
    }
    awaited.push_back(false);
    co_return HttpReply();
  };
  HttpServerOptions options = small_server();
  options.admit = [](const HttpIncoming&) -> HttpAdmission { return HttpVerdict{"me", {}}; };
  options.is_still_served = [&is_served](const std::string&) { return is_served; };
  const auto server = fixture.start(ask_until_nobody_does, options);
  SUBCASE("its client leaves") {
    HttpRequest impatient = request_to(*server, "POST", "/", "p");
    impatient.timeout_ms = 50;
    CHECK_FALSE(fixture.send(std::move(impatient)));
  }
  SUBCASE("its client is served no more") {
    static_cast<void>(fixture.send(request_to(*server, "POST", "/revoke", "p")));
  }
  const auto ended = [&]() -> Co<bool> {
    while (awaited.size() < 2) {
      co_await sleep_until(fixture.clock, fixture.clock.now_ns() + ns_per_ms);
    }
    co_return true;
  };
  CHECK(run_co(fixture.loop, fixture.clock, ended()));
  CHECK(awaited == std::vector<bool>{true, false});
}

TEST_CASE("the connection that was idle for longest makes room for a new one") {
  Fixture fixture;
  HttpServerOptions options = small_server();
  options.connections_max = 8;
  const auto server = fixture.start(describe, options);
  std::list<SlowClient> idle;
  for (int n = 0; n < 10; ++n) idle.emplace_back(*server, "GET /");
  CHECK(fixture.send(request_to(*server, "GET", "/")));
  const int64_t deadline_ns = fixture.clock.now_ns() + 20 * ns_per_s;
  CHECK(run_co(fixture.loop, fixture.clock, idle.front().is_cut_off(fixture.clock, deadline_ns)));
  const int64_t soon_ns = fixture.clock.now_ns() + 300 * ns_per_ms;
  CHECK_FALSE(run_co(fixture.loop, fixture.clock, idle.back().is_cut_off(fixture.clock, soon_ns)));
}

TEST_CASE("an answer may come in parts, each awaited, and is whole at the client's") {
  Fixture fixture;
  const auto server = fixture.start([&fixture](HttpIncoming) -> Co<HttpReply> {
    HttpReply reply;
    reply.body = "first,";
    reply.more = [&clock = fixture.clock, parts = std::make_shared<int>(0)] {
      return part_after_a_wait(clock, parts);
    };
    co_return reply;
  });
  const auto got = fixture.send(request_to(*server, "GET", "/"));
  REQUIRE(got);
  CHECK(got->body == "first," + std::string(100'000, 'p') + std::string(100'000, 'p'));
  CHECK(server->open_requests() == 0);
}

TEST_CASE("a server destroyed while an answer's next part is awaited cuts it off") {
  Fixture fixture;
  Signal never;
  std::unique_ptr<HttpServer> server;
  server = fixture.start([&](HttpIncoming) -> Co<HttpReply> {
    HttpReply reply;
    reply.body = "begun";
    reply.more = [&]() -> Co<Result<std::string>> {
      fixture.loop.post([&] { server.reset(); });
      co_await never.wait();
      co_return std::string();
    };
    co_return reply;
  });
  CHECK_FALSE(fixture.send(request_to(*server, "GET", "/")));
}

TEST_CASE("an address in use is an error that names it") {
  Fixture fixture;
  const auto server = fixture.start(describe);
  HttpServerOptions same = small_server();
  same.address = server->address();
  const auto second = HttpServer::start(fixture.loop, fixture.clock, same, describe);
  REQUIRE_FALSE(second);
  CHECK(second.error().message.find(same.address) != std::string::npos);
  same.address = "nonsense";
  CHECK_FALSE(HttpServer::start(fixture.loop, fixture.clock, same, describe));
}

TEST_CASE(
    "a server destroyed with a request open cuts it off, and destroys its handler where it waits") {
  Fixture fixture;
  Signal never;
  const auto held = std::make_shared<int>(0);
  std::unique_ptr<HttpServer> server;
  server = fixture.start([&](HttpIncoming) -> Co<HttpReply> {
    const std::vector<std::shared_ptr<int>> holding(1, held);
    fixture.loop.post([&] { server.reset(); });
    co_await never.wait();
    co_return HttpReply();
  });
  const auto cut = fixture.send(request_to(*server, "POST", "/", "p"));
  REQUIRE_FALSE(cut);
  CHECK(cut.error().kind == HttpFailure::Kind::unanswered);
  CHECK(held.use_count() == 1);
}

}  // namespace sluice
