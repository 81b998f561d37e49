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

}  // namespace sluice
