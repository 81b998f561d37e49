#include "api/error_reply.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <string>

#include "runtime/pg_result.h"

namespace sluice {
namespace {

HttpReply reply_to(std::string code, std::string message = "m", std::string hint = {}) {
  return error_reply(
      Error{Error::Action::refuse, std::move(code), std::move(message), std::move(hint)});
}

std::string_view retry_after(const HttpReply& reply) {
  return find_field(reply.headers, "Retry-After", "none");
}

}  // namespace

TEST_CASE("each SQLSTATE of ours has its status") {
  const std::pair<const char*, int> statuses[] = {
      {"SL001", 404}, {"SL002", 422}, {"SL003", 503}, {"SL004", 400}, {"SL005", 429},
      {"SL006", 404}, {"SL007", 413}, {"SL008", 422}, {"SL009", 403}, {"SL011", 409},
      {"22P02", 400}, {"23514", 400}, {"23503", 409}, {"54001", 400}, {"08003", 503},
      {"08006", 504}, {"40P01", 503}, {"55P03", 503}, {"53100", 503}, {"57P01", 503}};
  for (const auto& [code, status] : statuses) {
    CAPTURE(code);
    CHECK(reply_to(code).status == status);
  }
}

TEST_CASE("an unavailable server says when to come back, at most a minute later") {
  CHECK(retry_after(reply_to("SL003")) == "5");
  CHECK(retry_after(reply_to("SL003", "m", "There will be room in about 17 s.")) == "17");
  CHECK(retry_after(reply_to("SL003", "m", "There will be room in about 7200 s.")) == "60");
  CHECK(retry_after(reply_to("SL003", "m", "in about a while")) == "5");
  CHECK(retry_after(reply_to("SL004")) == "none");
}

TEST_CASE("a full queue of notifications may pass; the client's own excesses do not") {
  const HttpReply full = error_reply(notify_queue_full());
  CHECK(full.status == 503);
  CHECK(retry_after(full) == "1");
  CHECK(full.body.find("queue of notifications is full") != std::string::npos);
  CHECK(reply_to("54000").status == 400);
  CHECK(reply_to("54000").body.find("too large") != std::string::npos);
  CHECK(reply_to("54001").body.find("too deep") != std::string::npos);
}

TEST_CASE("an unknown outcome is not to be repeated blindly") {
  CHECK(find_field(reply_to("08006").headers, "X-Should-Retry") == "false");
}

TEST_CASE("an error that is ours tells its code and nothing else") {
  const HttpReply reply = reply_to("XX000", "relation of the secret \"prompt\"");
  CHECK(reply.status == 500);
  CHECK(reply.body.find("secret") == std::string::npos);
  CHECK(reply.body.find("XX000") != std::string::npos);
}

TEST_CASE("what the database says of itself is not told") {
  for (const char* code : {"54001", "53100", "08006"}) {
    CAPTURE(code);
    const HttpReply reply =
        reply_to(code, "could not extend file base/1 of 10.0.0.5", "max_stack_depth");
    CHECK(reply.body.find("base/1") == std::string::npos);
    CHECK(reply.body.find("10.0.0.5") == std::string::npos);
    CHECK(reply.body.find("max_stack_depth") == std::string::npos);
    CHECK(reply.body.find(code) != std::string::npos);
  }
}

TEST_CASE("a violated check is told by the key, its value, and what is allowed") {
  const auto told = [](std::string_view check, std::string body) {
    Error error{Error::Action::refuse, "23514",
                fmt::format("row violates check constraint \"{}\"", check)};
    error = about_body(std::move(error), std::move(body));
    return error.param + " | " + error.message;
  };
  CHECK(told("rpm_is_positive", R"({"tpm": 5, "rpm": -1})") ==
        "rpm | rpm -1 is refused: rpm is positive");
  CHECK(told("hedging_is_bounded", R"({"hedge_max": 11})") ==
        "hedge_max | hedge_max 11 is refused: hedge_after is above 0, hedge_max 1 to 10, "
        "hedge_budget 0 to 1");
  CHECK(told("secret_is_a_reference", R"({"secret": "sk-real"})") ==
        "secret | secret is refused: secret is a reference: env:NAME or file:/path");
}

TEST_CASE("a column that must have a value is missing or null") {
  const auto told = [](std::string body) {
    Error error{Error::Action::refuse, "23502", "null value in column", {}, "url"};
    return about_body(std::move(error), std::move(body)).message;
  };
  CHECK(told(R"({"rpm": 1})") == "url is missing");
  CHECK(told(R"({"url": null})") == "url cannot be null");
}

TEST_CASE("the argument at fault is told as param") {
  const HttpReply reply = bad_argument("limit", "limit is 1 to 100, not \"x\"");
  CHECK(reply.status == 400);
  CHECK(reply.body.find("\"param\":\"limit\"") != std::string::npos);
  CHECK(reply_to("SL004").body.find("\"param\":null") != std::string::npos);
}

TEST_CASE("what clients wrote is escaped") {
  const HttpReply reply = reply_to("SL004", "unknown key \"\r\nX: <script>\"");
  CHECK(reply.body.find("\r") == std::string::npos);
  CHECK(reply.body.find("\n") == reply.body.size() - 1);
  CHECK(reply.body.find("key \\\"") != std::string::npos);
}

TEST_CASE("what clients wrote is not repeated at length") {
  std::string name;
  while (name.size() < 3'000'000) name += "ä";
  const HttpReply reply = error_reply(400, "x", name, "SL004", name, name);
  CHECK(reply.body.size() < 4000);
  CHECK(simdjson::validate_utf8(reply.body.data(), reply.body.size()));
  CHECK(reply.body.find("ä…\",") != std::string::npos);
}

}  // namespace sluice
