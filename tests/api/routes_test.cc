#include "api/routes.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace sluice {
namespace {

Co<HttpReply> never(Services&, ApiRequest) {
  co_return HttpReply();
}

constexpr Route table[] = {
    {"GET", "/things", Scope::read, never},
    {"POST", "/things", Scope::submit, never},
    {"GET", "/things/{}", Scope::read, never},
    {"GET", "/things/{}/parts/{}", Scope::read, never},
};

std::string pattern_of(std::string_view method, std::string_view path) {
  const RouteMatch match = find_route(table, method, path);
  return match.route == nullptr ? "none" : std::string(match.route->pattern);
}

}  // namespace

TEST_CASE("a route is found by its segments, and what stands for {} is decoded") {
  CHECK(pattern_of("GET", "/things") == "/things");
  CHECK(pattern_of("HEAD", "/things/7") == "/things/{}");
  const RouteMatch match = find_route(table, "GET", "/things/a%20b%2Fc/parts/%C3%A9");
  REQUIRE(match.route != nullptr);
  CHECK(match.names == std::vector<std::string>{"a b/c", "é"});
}

TEST_CASE("a path that is not quite a route's is none") {
  for (const char* path : {"", "/", "things", "/things/", "//things", "/things/7/",
                           "/things//parts/1", "/things/7/parts", "/things/7/parts/1/2", "/Things",
                           "/things/%zz", "/things/%00", "/things?x"}) {
    CAPTURE(path);
    CHECK(pattern_of("GET", path) == "none");
    CHECK(find_route(table, "GET", path).allowed.empty());
  }
}

TEST_CASE("another method is told which ones the path takes") {
  CHECK(find_route(table, "PUT", "/things").allowed == "GET, POST");
  CHECK(find_route(table, "get", "/things").route == nullptr);
}

TEST_CASE("no two routes of the server's own table are the same") {
  std::set<std::string> seen;
  for (const Route& route : routes()) {
    CAPTURE(route.pattern);
    CHECK(seen.insert(std::string(route.method) + " " + std::string(route.pattern)).second);
  }
}

TEST_CASE("a body has the bounds of its route's kind") {
  const std::string text = "{\"a\":\"" + std::string(size_t{1} << 20, 'x') + "\"}";
  REQUIRE(body_refusal(text, BodyKind::small));
  CHECK(body_refusal(text, BodyKind::small)->status == 413);
  CHECK_FALSE(body_refusal(text, BodyKind::tasks));
  CHECK_FALSE(body_refusal("", BodyKind::small));
  std::string list = "[1";
  for (int n = 0; n < 20'000; ++n) list += ",1";
  list += "]";
  REQUIRE(body_refusal(list, BodyKind::small));
  CHECK(body_refusal(list, BodyKind::small)->status == 400);
  CHECK_FALSE(body_refusal(list, BodyKind::tasks));
}

TEST_CASE("only tasks and batches may have large bodies") {
  std::set<std::string_view> large;
  for (const Route& route : routes()) {
    if (route.body != BodyKind::small) large.insert(route.pattern);
  }
  CHECK(large == std::set<std::string_view>{"/v1/tasks", "/task", "/v1/chat/completions",
                                            "/v1/responses", "/v1/embeddings", "/v1/messages",
                                            "/v1/messages/batches", "/v1/files"});
}

}  // namespace sluice
