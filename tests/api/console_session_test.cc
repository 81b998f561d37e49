#include "api/console_session.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

constexpr int64_t now_s = 1'800'000'000;
const Sha256 digest = sha256("a key");

ConsoleSession session() {
  return {"0123456789abcdef", now_s - 7200, now_s - 60, false};
}

bool is_taken(std::string_view cookie, const Sha256& under = digest) {
  const auto read = parse_cookie(cookie);
  return read && is_genuine(cookie, under) && is_in_time(*read, now_s);
}

}  // namespace

TEST_CASE("a cookie says what it was made of, and is genuine under its key's digest alone") {
  ConsoleSession made = session();
  made.is_secure = true;
  const std::string cookie = cookie_of(made, digest);
  const auto read = parse_cookie(cookie);
  REQUIRE(read);
  CHECK(read->key_id == made.key_id);
  CHECK(read->signed_in_s == made.signed_in_s);
  CHECK(read->used_s == made.used_s);
  CHECK(read->is_secure);
  CHECK(is_taken(cookie));
  CHECK_FALSE(is_taken(cookie, sha256("another key")));
  CHECK(cookie.find("a key") == std::string::npos);
}

TEST_CASE("under the digest of no key nothing is genuine") {
  CHECK_FALSE(is_genuine(cookie_of(session(), Sha256{}), Sha256{}));
}

TEST_CASE("a cookie of which any character differs is not genuine") {
  const std::string cookie = cookie_of(session(), digest);
  for (size_t at = 0; at < cookie.size(); ++at) {
    for (const char other : {'0', '1', 'a', 's', '.', ' '}) {
      std::string forged = cookie;
      if (forged[at] == other) continue;
      forged[at] = other;
      CAPTURE(forged);
      CHECK_FALSE(is_taken(forged));
    }
  }
}

TEST_CASE("a cookie that is cut or has more is none") {
  const std::string cookie = cookie_of(session(), digest);
  for (size_t bytes = 0; bytes < cookie.size(); ++bytes) {
    CAPTURE(bytes);
    CHECK_FALSE(parse_cookie(cookie.substr(0, bytes)));
  }
  for (const std::string& text :
       {cookie + "0", cookie + ".", "." + cookie, " " + cookie, cookie + ' ',
        "v2" + cookie.substr(2), std::string(5, '.'), std::string(20'000, '.')}) {
    CHECK_FALSE(parse_cookie(text));
  }
}

TEST_CASE("a number has one text") {
  const std::string mac(64, '0');
  CHECK(parse_cookie("v1.0123456789abcdef.1.2.p." + mac));
  for (const char* times : {"01.2", "1.02", "+1.2", "-1.2", "1.", ".2", "1.2 ", "0.0", "1e3.2",
                            "999999999999.2", "18446744073709551617.2"}) {
    CAPTURE(times);
    CHECK_FALSE(parse_cookie("v1.0123456789abcdef." + std::string(times) + ".p." + mac));
  }
  for (const char* id : {"", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF"}) {
    CAPTURE(id);
    CHECK_FALSE(parse_cookie("v1." + std::string(id) + ".1.2.p." + mac));
  }
}

TEST_CASE("a session ends an hour after its last use, and 12 hours after its beginning") {
  const auto is_in = [](int64_t signed_in_ago_s, int64_t used_ago_s) {
    return is_in_time({"", now_s - signed_in_ago_s, now_s - used_ago_s, false}, now_s);
  };
  CHECK(is_in(0, 0));
  CHECK(is_in(3599, 3599));
  CHECK_FALSE(is_in(3600, 3600));
  CHECK(is_in(12 * 3600 - 1, 0));
  CHECK_FALSE(is_in(12 * 3600, 0));
  // Another server's clock may be ahead, but nobody signs in tomorrow, nor used it before that.
  CHECK(is_in(-60, -60));
  CHECK_FALSE(is_in(-61, -61));
  CHECK_FALSE(is_in(10, 20));
}

TEST_CASE("a cookie is renewed when it was last used five minutes ago") {
  ConsoleSession used = session();
  used.used_s = now_s - 299;
  CHECK_FALSE(is_to_be_renewed(used, now_s));
  used.used_s = now_s - 300;
  CHECK(is_to_be_renewed(used, now_s));
}

TEST_CASE("the console's cookies are found among others, the first eight") {
  const HttpFields headers = {{"cookie", "a=b; sluice_console=one;sluice_console=two ; x"},
                              {"accept", "sluice_console=no"},
                              {"cookie", "xsluice_console=no; sluice_console=three; =; ;"}};
  CHECK(console_cookies(headers) == std::vector<std::string_view>{"one", "two", "three"});
  std::string many;
  for (int i = 0; i < 100; ++i) many += "sluice_console=x;";
  CHECK(console_cookies({{"cookie", many}}).size() == session_cookies_max);
  CHECK(console_cookies({{"cookie", ""}}).empty());
}

TEST_CASE("no script reads the cookie, and no other site has it sent") {
  CHECK(set_cookie("x", false) == "sluice_console=x; HttpOnly; SameSite=Strict");
  CHECK(set_cookie("x", true) == "sluice_console=x; HttpOnly; SameSite=Strict; Secure");
  CHECK(set_cookie("", false) == "sluice_console=; HttpOnly; SameSite=Strict; Max-Age=0");
}

}  // namespace sluice
