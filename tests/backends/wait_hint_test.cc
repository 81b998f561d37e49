#include "backends/wait_hint.h"

#include <doctest/doctest.h>

#include "backends/limits_left.h"
#include "support/exchange.h"

namespace sluice {

namespace {

constexpr int64_t now_unix_ms = 784'111'777'000;  // Sun, 06 Nov 1994 08:49:37 GMT

std::optional<int64_t> wait(std::string_view text) {
  return parse_wait_ms(text, now_unix_ms);
}

std::optional<int64_t> hint(HttpFields headers, std::string_view body = "") {
  HttpResponse response = response_of(429, "", std::move(headers));
  response.received_unix_ms = now_unix_ms;
  return wait_hint_ms(response, body);
}

}  // namespace

TEST_CASE("each form of \"wait\" is read") {
  CHECK(wait("7") == 7000);
  CHECK(wait(" 7 ") == 7000);
  CHECK(wait("0") == 0);
  CHECK(wait("0.5") == 500);
  CHECK(wait("1s") == 1000);
  CHECK(wait("6m0s") == 360'000);
  CHECK(wait("41ms") == 41);
  CHECK(wait("1h0m0.5s") == 3'600'000);
  CHECK(wait("58s") == 58'000);
  CHECK(wait("58.25s") == 58'250);
  CHECK(wait("900us") == 0);
  CHECK(wait("1994-11-06T08:49:42Z") == 5000);
  CHECK(wait("1994-11-06T08:49:42.25Z") == 5250);
  CHECK(wait("1994-11-06T09:49:42+01:00") == 5000);
  CHECK(wait("1994-11-06T03:19:42-05:30") == 5000);
  CHECK(wait("Sun, 06 Nov 1994 08:49:42 GMT") == 5000);
  CHECK(parse_wait_ms("1767225605", 1'767'225'600'000) == 5000);
  CHECK(parse_wait_ms("1767225605000", 1'767'225'600'000) == 5000);
}

TEST_CASE("a wait is between now and an hour") {
  CHECK(wait("86400") == wait_hint_ms_max);
  CHECK(wait("1e300") == wait_hint_ms_max);
  CHECK(wait("1e999999") == wait_hint_ms_max);
  CHECK(wait("99999999999h") == wait_hint_ms_max);
  CHECK(wait("9999-12-31T23:59:59Z") == wait_hint_ms_max);
  CHECK(wait("1970-01-01T00:00:00Z") == 0);
  CHECK(wait("Sun, 06 Nov 1994 08:49:37 GMT") == 0);
}

TEST_CASE("what makes no sense is no hint") {
  for (const char* text : {"",
                           " ",
                           "soon",
                           "-5",
                           "nan",
                           "inf",
                           "0x10",
                           "1 s",
                           "5x",
                           "s",
                           "1s2",
                           "--",
                           "1994-11-06",
                           "1994-13-06T08:49:42Z",
                           "1994-02-30T08:49:42Z",
                           "1994-11-06T25:49:42Z",
                           "1994-11-06T08:49:42",
                           "1994-11-06T08:49:42+01",
                           "Sun, 06 Nox 1994 08:49:42 GMT",
                           "Sun, 06 Nov 1994 08:49:42 CET",
                           "Sun, 6 Nov 1994 08:49:42 GMT",
                           "Sun, 00 Nov 1994 08:49:42 GMT"}) {
    CAPTURE(text);
    CHECK(wait(text) == std::nullopt);
  }
}

TEST_CASE("the exact hint comes before the rough one, the header before the body") {
  CHECK(hint({{"retry-after", "7"}, {"retry-after-ms", "6500"}}, "58s") == 6500);
  CHECK(hint({{"retry-after", "7"}}, "58s") == 7000);
  CHECK(hint({{"retry-after", "soon"}}, "58s") == 58'000);
  CHECK(hint({{"retry-after-ms", "soon"}, {"retry-after", "1"}}) == 1000);
  CHECK(hint({}) == std::nullopt);
}

TEST_CASE("an instant counts from the backend's own clock") {
  CHECK(hint({{"date", "Mon, 07 Nov 1994 08:00:00 GMT"},
              {"retry-after", "Mon, 07 Nov 1994 08:00:09 GMT"}}) == 9000);
  CHECK(hint({{"retry-after", "Sun, 06 Nov 1994 08:49:40 GMT"}}) == 3000);
}

TEST_CASE("without a hint an exhausted limit says when it is full again, the others nothing") {
  CHECK(hint({{"x-ratelimit-remaining-requests", "0"},
              {"x-ratelimit-reset-requests", "2s"},
              {"x-ratelimit-remaining-tokens", "10"},
              {"x-ratelimit-reset-tokens", "6m0s"}}) == 2000);
  CHECK(hint({{"anthropic-ratelimit-input-tokens-remaining", "0"},
              {"anthropic-ratelimit-input-tokens-reset", "1994-11-06T08:50:37Z"}}) == 60'000);
  CHECK(hint({{"x-ratelimit-reset-requests", "2s"}}) == std::nullopt);
}

TEST_CASE("what is left of the limits is read, and nonsense is no evidence") {
  const LimitsLeft openai = limits_left({{"x-ratelimit-limit-requests", "100"},
                                         {"x-ratelimit-remaining-requests", "42"},
                                         {"x-ratelimit-remaining-tokens", "1000"},
                                         {"x-ratelimit-remaining-project-tokens", "900"}});
  CHECK(openai.requests == 42);
  CHECK(openai.tokens == 900);
  const LimitsLeft anthropic = limits_left({{"anthropic-ratelimit-requests-remaining", "0"},
                                            {"anthropic-ratelimit-tokens-remaining", "7000"}});
  CHECK(anthropic.requests == 0);
  CHECK(anthropic.tokens == 7000);
  CHECK(limits_left({{"x-ratelimit-remaining-requests", "-1"},
                     {"x-ratelimit-remaining-tokens", "0"},
                     {"x-ratelimit-limit-tokens", "0"}})
            .empty());
  CHECK(
      limits_left({{"x-ratelimit-remaining-requests", "50"}, {"x-ratelimit-limit-requests", "100"}})
          .empty());
  CHECK(limits_left({{"x-ratelimit-remaining-tokens", "9000000000000"}}).tokens == 2147483647);
  CHECK(limits_left(
            {{"x-ratelimit-remaining-requests", "many"}, {"x-ratelimit-remaining-tokens", "1e3"}})
            .empty());
  CHECK(limits_left({}).empty());
}

}  // namespace sluice
