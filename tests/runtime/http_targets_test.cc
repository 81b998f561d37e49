#include "runtime/http_targets.h"

#include <doctest/doctest.h>

#include <string>

namespace sluice {

TEST_CASE("a target says where a URL leads, and whether its host is to be looked up") {
  HttpTargets targets;
  const auto named = targets.of("http://Backend.example:8000/v1/chat/completions");
  CHECK(named->url != nullptr);
  CHECK(named->host == "Backend.example");
  CHECK(named->port == "8000");
  CHECK(named->is_named);
  CHECK_FALSE(named->is_tls);
  const auto tls = targets.of("HTTPS://10.1.2.3/x");
  CHECK(tls->port == "443");
  CHECK(tls->is_tls);
  CHECK_FALSE(tls->is_named);
  CHECK_FALSE(targets.of("http://[::1]:80/")->is_named);
  CHECK(targets.of("backend:8000")->url == nullptr);
  CHECK(targets.of("http://")->url == nullptr);
}

TEST_CASE("a target has the first lines of its requests, where they are no special ones") {
  HttpTargets targets;
  const auto plain = targets.of("http://backend:8000/v1/x?y#z");
  CHECK(plain->origin == "backend:8000");
  CHECK(plain->plain_head == " /v1/x?y HTTP/1.1\r\nHost: backend:8000\r\nAccept: */*\r\n");
  CHECK(targets.of("http://[::1]")->plain_head == " / HTTP/1.1\r\nHost: [::1]\r\nAccept: */*\r\n");
  for (const char* special :
       {"https://backend/", "http://user@backend/", "http://:p@backend/", "http://[fe80::1%25lo]/",
        "http://backend./", "ftp://backend/", ":"}) {
    CAPTURE(special);
    CHECK(targets.of(special)->plain_head.empty());
  }
}

TEST_CASE("a URL is read once, and so many are kept") {
  HttpTargets targets;
  const std::string url = "http://backend/";
  const auto first = targets.of(url);
  CHECK(targets.of(url) == first);
  for (size_t i = 0; i < HttpTargets::kept_max; ++i) targets.of(url + std::to_string(i));
  CHECK(targets.of(url) != first);
  CHECK(first->host == "backend");
}

}  // namespace sluice
