#include "runtime/http_date.h"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE("the date of HTTP is read") {
  CHECK(http_date_unix_s("Sun, 06 Nov 1994 08:49:37 GMT") == 784'111'777);
  CHECK(http_date_unix_s("Thu, 29 Feb 2024 00:00:00 GMT") == 1'709'164'800);
  CHECK(http_date_unix_s("Fri, 31 Dec 9999 23:59:59 GMT") == 253'402'300'799);
}

TEST_CASE("no other form of a date is") {
  for (const char* text :
       {"", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "20 GMT", "784111777                 GMT"}) {
    CAPTURE(text);
    CHECK(http_date_unix_s(text) == std::nullopt);
  }
}

}  // namespace sluice
