#include "runtime/request_problem.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

// The status of the answer; 0: there is no problem.
int status_of(HttpFields headers, std::string_view version = "HTTP/1.1",
              std::string_view method = "GET") {
  headers.emplace_back("host", "h");
  const auto problem = request_problem(method, version, headers);
  return problem ? problem->status : 0;
}

}  // namespace

TEST_CASE("ordinary requests have no problem") {
  CHECK(status_of({}) == 0);
  CHECK(status_of({{"content-length", "0"}, {"x-color", "blue\tgreen \xc3\xa9"}}) == 0);
  CHECK(status_of({{"transfer-encoding", "Chunked"}}) == 0);
  CHECK_FALSE(request_problem("GET", "HTTP/1.0", {}));
}

TEST_CASE("what two readers could understand differently is a problem") {
  CHECK(status_of({{"content-length", "5"}, {"transfer-encoding", "chunked"}}) == 400);
  CHECK(status_of({{"content-length", "5"}, {"content-length", "5"}}) == 400);
  CHECK(status_of({{"content-length", "5"}, {"content-length", "6"}}) == 400);
  for (const char* length : {"", "+5", "-1", "5, 5", "0x5", "5 "}) {
    CAPTURE(length);
    CHECK(status_of({{"content-length", length}}) == 400);
  }
  for (const char* encoding : {"gzip", "gzip, chunked", "xchunked", ""}) {
    CAPTURE(encoding);
    CHECK(status_of({{"transfer-encoding", encoding}}) == 400);
  }
  CHECK(status_of({{"transfer-encoding", "chunked"}, {"transfer-encoding", "x"}}) == 400);
  CHECK(status_of({{"transfer-encoding", "chunked"}}, "HTTP/1.0") == 400);
  CHECK(status_of({{"host", "other"}}) == 400);
  CHECK(status_of({{"authorization", "Bearer a"}, {"authorization", "Bearer b"}}) == 400);
  CHECK(status_of({{"x-api-key", "a"}, {"x-api-key", "a"}}) == 400);
  CHECK(status_of({{"authorization", "Bearer a"}, {"x-api-key", "a"}}) == 0);
  CHECK(request_problem("GET", "HTTP/1.1", {})->status == 400);
  CHECK(status_of({{"content-length ", "5"}}) == 400);
  CHECK(status_of({{"x", "a\rb: c"}}) == 400);
  CHECK(status_of(HttpFields(101, {"x", "y"})) == 400);
}

TEST_CASE("a folded length or encoding is a name that begins like it") {
  CHECK(status_of({{"content-length41", ""}}) == 400);
  CHECK(status_of({{"transfer-encodingchunked", ""}, {"content-length", "5"}}) == 400);
}

TEST_CASE("a body whose length nothing tells is not read") {
  for (const char* method : {"POST", "PUT", "PATCH"}) {
    CAPTURE(method);
    CHECK(status_of({}, "HTTP/1.1", method) == 411);
    CHECK(status_of({{"content-length", "0"}}, "HTTP/1.1", method) == 0);
    CHECK(status_of({{"transfer-encoding", "chunked"}}, "HTTP/1.1", method) == 0);
  }
  CHECK(status_of({}, "HTTP/1.1", "DELETE") == 0);
}

TEST_CASE("percent signs are decoded, and malformed ones and NUL refused") {
  CHECK(percent_decode("a%20b%2Fc%41") == "a b/cA");
  CHECK(percent_decode("").value().empty());
  for (const char* text : {"%", "%4", "%zz", "a%0", "%00"}) {
    CAPTURE(text);
    CHECK_FALSE(percent_decode(text));
  }
}

TEST_CASE("a path and its query have a length, and a query a number of arguments") {
  const auto status_of_target = [](const std::string& target) {
    const auto problem = target_problem(target, 1000);
    return problem ? problem->status : 0;
  };
  const auto arguments = [](int count) {
    std::string query = "/?a";
    for (int i = 1; i < count; ++i) query += "&a";
    return query;
  };
  CHECK(status_of_target("/" + std::string(999, 'a')) == 0);
  CHECK(status_of_target("/" + std::string(1000, 'a')) == 414);
  CHECK(status_of_target("/?a=" + std::string(1000, 'a')) == 414);
  CHECK(status_of_target(arguments(100)) == 0);
  CHECK(status_of_target(arguments(101)) == 400);
  CHECK(status_of_target("/" + std::string(200, '&') + "?a=1") == 0);  // of the path
  CHECK(status_of_target("/?" + std::string(200, '&')) == 400);
}

}  // namespace sluice
