#include "runtime/http_body.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "json_text.h"
#include "support/body_text.h"

namespace sluice {
namespace {

// All of it, taken in steps of so many bytes; the largest piece that was to be had.
std::pair<std::string, size_t> taken(HttpBody& body, size_t step) {
  std::string all;
  size_t largest = 0;
  for (std::string_view rest = body.rest(); !rest.empty(); rest = body.rest()) {
    largest = std::max(largest, rest.size());
    const std::string_view some = rest.substr(0, step);
    all += some;
    body.skip(some.size());
  }
  return {all, largest};
}

std::string text_of_all_bytes(size_t bytes) {
  std::string text(bytes, 'x');
  for (size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 7 % 256);
  return text;
}

}  // namespace

TEST_CASE("a body with a small text is one piece") {
  HttpBody body;
  body.append(R"({"prompt":)");
  body.append_json_string("say \"hi\"");
  body.append("}");
  CHECK(body.rest() == R"({"prompt":"say \"hi\""})");
  CHECK(body.size() == body.rest().size());
  CHECK(text_of(body) == R"({"prompt":"say \"hi\""})");
}

TEST_CASE("a large text is escaped piece by piece, and its size is known before") {
  for (const size_t step : {size_t{1} << 30, size_t{16'384}, size_t{7}}) {
    HttpBody body(R"({"prompts":[)");
    const std::string one = text_of_all_bytes(150'001);
    const std::string two(100'000, '\x01');
    body.append_json_string(one);
    body.append(",");
    body.append_json_string(two);
    body.append("]}");
    const std::string expected =
        R"({"prompts":[)" + json_string(one) + "," + json_string(two) + "]}";
    CHECK(body.size() == expected.size());
    CHECK(text_of(body) == expected);
    const auto [all, largest] = taken(body, step);
    CHECK(all == expected);
    CHECK(largest <= 6 * HttpBody::text_piece_bytes);
    CHECK(body.rewind());
    CHECK(taken(body, step).first == expected);
  }
}

TEST_CASE("a body that is given back has nothing left, and what it kept is free") {
  auto counted = std::make_shared<int>(1);
  HttpBody body;
  body.append_json_string(std::string(100'000, 'x'));
  body.keep(counted);
  CHECK(counted.use_count() == 2);
  body.give_back();
  CHECK(counted.use_count() == 1);
  CHECK(body.rest().empty());
  CHECK(body.size() == 100'002);
  CHECK_FALSE(body.rewind());
}

TEST_CASE("an empty body has nothing to give") {
  HttpBody body;
  CHECK(body.rest().empty());
  CHECK(body.size() == 0);
  HttpBody empty{std::string()};
  CHECK(empty.rest().empty());
}

}  // namespace sluice
