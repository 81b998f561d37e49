#include "runtime/request_problem.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

std::string_view problem(HttpFields headers, std::string_view version = "HTTP/1.1") {
  headers.emplace_back("host", "h");
  return request_problem(version, headers);
}

}  // namespace

TEST_CASE("ordinary requests have no problem") {
  CHECK(problem({}).empty());
  CHECK(problem({{"content-length", "0"}, {"x-color", "blue\tgreen \xc3\xa9"}}).empty());
  CHECK(problem({{"transfer-encoding", "Chunked"}}).empty());
  CHECK(request_problem("HTTP/1.0", {}).empty());
}

TEST_CASE("what two readers could understand differently is a problem") {
  CHECK_FALSE(problem({{"content-length", "5"}, {"transfer-encoding", "chunked"}}).empty());
  CHECK_FALSE(problem({{"content-length", "5"}, {"content-length", "5"}}).empty());
  CHECK_FALSE(problem({{"content-length", "5"}, {"content-length", "6"}}).empty());
  for (const char* length : {"", "+5", "-1", "5, 5", "0x5", "5 "}) {
    CAPTURE(length);
    CHECK_FALSE(problem({{"content-length", length}}).empty());
  }
  for (const char* encoding : {"gzip", "gzip, chunked", "xchunked", ""}) {
    CAPTURE(encoding);
    CHECK_FALSE(problem({{"transfer-encoding", encoding}}).empty());
  }
  CHECK_FALSE(problem({{"transfer-encoding", "chunked"}, {"transfer-encoding", "x"}}).empty());
  CHECK_FALSE(problem({{"transfer-encoding", "chunked"}}, "HTTP/1.0").empty());
  CHECK_FALSE(problem({{"host", "other"}}).empty());
  CHECK_FALSE(request_problem("HTTP/1.1", {}).empty());
  CHECK_FALSE(problem({{"content-length ", "5"}}).empty());
  CHECK_FALSE(problem({{"x", "a\rb: c"}}).empty());
  CHECK_FALSE(problem(HttpFields(101, {"x", "y"})).empty());
}

TEST_CASE("percent signs are decoded, and malformed ones and NUL refused") {
  CHECK(percent_decode("a%20b%2Fc%41") == "a b/cA");
  CHECK(percent_decode("").value().empty());
  for (const char* text : {"%", "%4", "%zz", "a%0", "%00"}) {
    CAPTURE(text);
    CHECK_FALSE(percent_decode(text));
  }
}

}  // namespace sluice
