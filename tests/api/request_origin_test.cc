#include "api/request_origin.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

HttpIncoming request(std::string method, HttpFields headers) {
  HttpIncoming incoming;
  incoming.method = std::move(method);
  incoming.headers = std::move(headers);
  return incoming;
}

// Whether the console's API takes a request of that method for its own page's.
bool is_own(const char* method, HttpFields headers, std::string_view scheme = "http") {
  headers.emplace_back("host", "box:8080");
  return not_of_console_because(request(method, std::move(headers)), scheme).empty();
}

bool is_from_here(ConsolePlace place, HttpFields headers) {
  return comes_from_here(request("POST", std::move(headers)), "http", place);
}

}  // namespace

TEST_CASE("a change is the console's own where the browser says that it is of the same origin") {
  CHECK(is_own("POST", {{"sec-fetch-site", "same-origin"}}));
  for (const char* site : {"cross-site", "same-site", "none", "", "Same-Origin"}) {
    CAPTURE(site);
    CHECK_FALSE(is_own("POST", {{"sec-fetch-site", site}}));
    CHECK_FALSE(is_own("DELETE", {{"sec-fetch-site", site}, {"origin", "http://box:8080"}}));
  }
  CHECK_FALSE(
      is_own("POST", {{"sec-fetch-site", "same-origin"}, {"sec-fetch-site", "cross-site"}}));
  // A proxy may have changed Host.
  CHECK(is_own("POST", {{"sec-fetch-site", "same-origin"}, {"origin", "https://front.example"}}));
}

TEST_CASE("over plain HTTP browsers say no site: then Origin has to be the request's own") {
  CHECK(is_own("POST", {{"origin", "http://box:8080"}}));
  CHECK(is_own("POST", {{"origin", "https://box:8080"}}));  // a proxy ends TLS
  CHECK_FALSE(is_own("POST", {{"origin", "http://box:8080"}}, "https"));
  for (const char* origin :
       {"http://box", "http://box:8081", "http://evil.example", "null", "", "box:8080",
        "http://box:8080/", "http://box:8080.evil.example", "ftp://box:8080"}) {
    CAPTURE(origin);
    CHECK_FALSE(is_own("POST", {{"origin", origin}}));
    CHECK_FALSE(is_own("GET", {{"origin", origin}}));
  }
  CHECK_FALSE(is_own("POST", {{"origin", "http://box:8080"}, {"origin", "http://evil.example"}}));
}

TEST_CASE("a change that says nothing of its page is refused, and its browser called too old") {
  CHECK_FALSE(is_own("POST", {}));
  CHECK(not_of_console_because(request("PUT", {}), "http").find("too old") != std::string::npos);
}

TEST_CASE("a look is refused only where another page has it made") {
  CHECK(is_own("GET", {}));
  CHECK(is_own("HEAD", {{"sec-fetch-site", "none"}}));
  CHECK(is_own("GET", {{"sec-fetch-site", "same-origin"}}));
  CHECK_FALSE(is_own("GET", {{"sec-fetch-site", "cross-site"}}));
  CHECK_FALSE(is_own("GET", {{"sec-fetch-site", "same-site"}}));
}

TEST_CASE("without keys the console's own page may send its Origin, to the console alone") {
  const HttpFields own = {{"host", "localhost:8080"}, {"origin", "http://localhost:8080"}};
  CHECK(is_from_here(ConsolePlace::api, own));
  CHECK(is_from_here(ConsolePlace::session, own));
  CHECK_FALSE(is_from_here(ConsolePlace::none, own));
  for (const char* origin : {"http://127.0.0.1:8080", "http://localhost:8081", "http://localhost",
                             "null", "", "http://evil.example"}) {
    CAPTURE(origin);
    CHECK_FALSE(is_from_here(ConsolePlace::api, {{"host", "localhost:8080"}, {"origin", origin}}));
  }
}

TEST_CASE("without keys a name that leads here by its own DNS is refused, the page too") {
  for (const ConsolePlace place :
       {ConsolePlace::none, ConsolePlace::page, ConsolePlace::session, ConsolePlace::api}) {
    CHECK_FALSE(is_from_here(place, {{"host", "evil.example:8080"}}));
    CHECK_FALSE(is_from_here(
        place, {{"host", "evil.example:8080"}, {"origin", "http://evil.example:8080"}}));
    CHECK_FALSE(is_from_here(place, {}));
    CHECK(is_from_here(place, {{"host", "[::1]:8080"}}));
  }
}

TEST_CASE("without keys another site may lead to the page, and to nothing else") {
  const HttpFields led = {{"host", "localhost:8080"}, {"sec-fetch-site", "cross-site"}};
  CHECK(is_from_here(ConsolePlace::page, led));
  for (const ConsolePlace place : {ConsolePlace::none, ConsolePlace::session, ConsolePlace::api}) {
    CHECK_FALSE(is_from_here(place, led));
  }
}

TEST_CASE("what the page's own scheme was is the browser's word") {
  CHECK(is_of_https_page(request("POST", {{"origin", "https://box"}})));
  CHECK_FALSE(is_of_https_page(request("POST", {{"origin", "http://box"}})));
  CHECK_FALSE(is_of_https_page(request("POST", {})));
}

}  // namespace sluice
