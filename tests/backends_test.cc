#include <doctest/doctest.h>

#include "backends/backend.h"
#include "backends/solve.h"
#include "backends/text.h"

namespace sluice {

namespace {

HttpResponse response_of(int status, std::string body, HttpFields headers = HttpFields()) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  response.headers = std::move(headers);
  return response;
}

Outcome outcome_of(int status, std::string body, HttpFields headers = HttpFields()) {
  return solve_backend.outcome(response_of(status, std::move(body), std::move(headers)));
}

Model model_named(std::string upstream_name) {
  Model model;
  model.url = "http://host";
  model.upstream_name = std::move(upstream_name);
  return model;
}

std::string body_for(std::string request, std::string model) {
  Question question;
  question.request = std::move(request);
  return solve_backend.request(model_named(std::move(model)), question).body;
}

}  // namespace

TEST_CASE("a prompt is sent as JSON whatever it contains") {
  Question question;
  question.prompt = "a \"quoted\" \\ line\nand \x01";
  question.max_output_tokens = 5;
  CHECK(solve_backend.request(model_named("m"), question).body ==
        R"({"model":"m","prompt":"a \"quoted\" \\ line\u000aand \u0001","max_output_tokens":5})");
}

TEST_CASE("a verbatim request keeps everything but the model's name") {
  CHECK(body_for(R"({"model":"theirs","x":1e400, "y" : [1, 2]})", "ours") ==
        R"({"model":"ours","x":1e400, "y" : [1, 2]})");
  CHECK(body_for(R"({ "x": {"model": "inner"}, "model" : "a\"b" })", "o") ==
        R"({ "x": {"model": "inner"}, "model" : "o" })");
  CHECK(body_for(R"({"x":1})", "o") == R"({"model":"o","x":1})");
  CHECK(body_for("{}", "o") == R"({"model":"o"})");
}

TEST_CASE("an answer is stored with the backend's verbatim body") {
  const Outcome outcome = outcome_of(200, R"({"answer":"a\nb","n":1e400})");
  CHECK(std::get<Solved>(outcome_of(200, R"({"answer":"a\nb"})")).answer == "a\nb");
  CHECK(std::get<Solved>(outcome_of(200, R"({"answer":"x"} )")).response == R"({"answer":"x"} )");
  CHECK(std::holds_alternative<Retry>(
      outcome));  // a number that no double holds is no answer we can read
}

TEST_CASE("a poisoned answer is made harmless") {
  const auto solved = std::get<Solved>(outcome_of(200, "{\"answer\":\"a\\u0000b\"}"));
  CHECK(solved.answer ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(harmless_text(std::string("x\0y\xC3\x28\xF0\x9F\x98\x80\xED\xA0\x80", 12)) ==
        "x\xEF\xBF\xBDy\xEF\xBF\xBD(\xF0\x9F\x98\x80\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("what is no answer is tried again") {
  for (const char* body : {"", "<html>oops</html>", "{\"answer\":", "{}", "{\"answer\":1}", "[]"}) {
    CAPTURE(body);
    const Outcome outcome = outcome_of(200, body);
    REQUIRE(std::holds_alternative<Retry>(outcome));
    CHECK(std::get<Retry>(outcome).error_code == "bad_response");
  }
}

TEST_CASE("a status says whether to fail, to retry or to close the model") {
  for (int status : {400, 404, 413, 415, 422, 301}) {
    CHECK(std::holds_alternative<Failed>(outcome_of(status, "")));
  }
  for (int status : {408, 409, 425, 500, 502, 503, 504, 529}) {
    CHECK(std::holds_alternative<Retry>(outcome_of(status, "")));
  }
  for (int status : {401, 402, 403, 429})
    CHECK(std::holds_alternative<Throttled>(outcome_of(status, "")));
}

TEST_CASE("the backend's wait is read and clamped") {
  const auto wait_of = [](const char* name, const char* value) {
    return std::get<Throttled>(outcome_of(429, "", HttpFields{{name, value}})).retry_after_ms;
  };
  CHECK(wait_of("retry-after", "7") == 7000);
  CHECK(wait_of("retry-after", "0.5") == 500);
  CHECK(wait_of("retry-after-ms", "41") == 41);
  CHECK(wait_of("retry-after", "1e300") == 3'600'000);
  CHECK(wait_of("retry-after", "-5") == std::nullopt);
  CHECK(wait_of("retry-after", "soon") == std::nullopt);
  CHECK(wait_of("retry-after", "nan") == std::nullopt);
}

TEST_CASE(
    "a call that brought no response is charged, and known to be free only if nothing was sent") {
  const auto retry_of = [](HttpFailure::Kind kind) {
    const HttpFailure failure{kind, "why"};
    return std::get<Retry>(outcome_of_failure(failure));
  };
  CHECK(retry_of(HttpFailure::Kind::not_sent).billed == false);
  CHECK(retry_of(HttpFailure::Kind::unanswered).billed == std::nullopt);
  CHECK(retry_of(HttpFailure::Kind::timed_out).billed == std::nullopt);
}

TEST_CASE("errors for people hold no control characters") {
  CHECK(error_text("a\nb\x1b[31m", 100) == "a b [31m");
  CHECK(error_text("abcdef", 3) == "abc");
}

}  // namespace sluice
