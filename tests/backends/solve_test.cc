#include <doctest/doctest.h>

#include "backends/providers.h"
#include "support/body_text.h"
#include "support/exchange.h"

namespace sluice {

TEST_CASE("solve: a prompt is sent as JSON whatever it contains") {
  Question question = prompt_of("a \"quoted\" \\ line\nand \x01");
  question.max_output_tokens = 5;
  const HttpRequest request = request_for(solve_backend, model_at("http://host/"), question);
  CHECK(request.url == "http://host/solve");
  CHECK(text_of(request.body) ==
        R"({"model":"m","prompt":"a \"quoted\" \\ line\nand \u0001","max_output_tokens":5})");
}

TEST_CASE("the path goes before a URL's query") {
  for (const std::string url : {"http://host?api-version=1", "http://host/?api-version=1"}) {
    CHECK(request_for(solve_backend, model_at(url), prompt_of("p")).url ==
          "http://host/solve?api-version=1");
  }
}

TEST_CASE("solve: a model that takes batches has a path for single prompts") {
  Model model = model_at("http://host");
  model.batch_max = 8;
  CHECK(request_for(solve_backend, model, prompt_of("p")).url == "http://host/single");
}

TEST_CASE("solve: a backend that offers one path gets every call there") {
  Model model = model_at("http://host");
  for (const int batch_max : {1, 8}) {
    model.batch_max = batch_max;
    for (const std::string path : {"/solve", "/single", "/batch"}) {
      model.paths = {path};
      CHECK(request_for(solve_backend, model, prompt_of("p")).url == "http://host" + path);
    }
    model.paths = {"/solve", "/batch"};
    CHECK(request_for(solve_backend, model, prompt_of("p")).url == "http://host/solve");
  }
}

TEST_CASE("solve: an answer is stored with the backend's verbatim body, usage if told") {
  const Outcome outcome = answer_of(
      solve_backend, R"({"answer":"a\nb","usage":{"input_tokens":3,"output_tokens":4}} )");
  const auto& solved = std::get<Solved>(outcome);
  CHECK(solved.answer == "a\nb");
  CHECK(solved.response == R"({"answer":"a\nb","usage":{"input_tokens":3,"output_tokens":4}} )");
  CHECK(solved.input_tokens == 3);
  CHECK(solved.output_tokens == 4);
}

TEST_CASE("solve: a poisoned answer is made harmless") {
  const auto solved = std::get<Solved>(answer_of(solve_backend, "{\"answer\":\"a\\u0000b\"}"));
  CHECK(solved.answer ==
        "a\xEF\xBF\xBD"
        "b");
}

TEST_CASE("solve: an error may be told with any status, and its own word overrides the table") {
  const auto kind = [](int status, std::string body) {
    return outcome_of(solve_backend, response_of(status, std::move(body))).index();
  };
  const size_t retry = Outcome(Retry()).index();
  const size_t failed = Outcome(Failed()).index();
  CHECK(kind(200, R"({"error":"no","retryable":false})") == failed);
  CHECK(kind(200, R"({"error":"no","retryable":true})") == retry);
  CHECK(kind(200, R"({"error":"no"})") == retry);
  CHECK(kind(400, R"({"error":"no","retryable":true})") == retry);
  CHECK(kind(500, R"({"error":"no","retryable":false})") == failed);
  CHECK(kind(500, R"({"error":{"message":"no","retryable":false}})") == failed);
}

TEST_CASE("solve: what is no answer is tried again") {
  for (const char* body : {"", "<html>oops</html>", "{\"answer\":", "{}", "{\"answer\":1}", "[]",
                           "\"x\"", "null", "{\"answer\":1e999}"}) {
    CAPTURE(body);
    const Outcome outcome = answer_of(solve_backend, body);
    REQUIRE(std::holds_alternative<Retry>(outcome));
    CHECK(std::get<Retry>(outcome).error_code == "bad_response");
  }
}

TEST_CASE("what is no answer is told with the status that it came with") {
  for (const auto& [status, body, error] :
       {std::tuple(204, "", "HTTP 204 with a body that is no answer: it is empty"),
        std::tuple(202, "<html>", "HTTP 202 with a body that is no answer: it is not JSON"),
        std::tuple(201, "{}",
                   "HTTP 201 with a body that is no answer: it has no text \"answer\"")}) {
    const Outcome outcome = outcome_of(solve_backend, response_of(status, body));
    REQUIRE(std::holds_alternative<Retry>(outcome));
    CHECK(std::get<Retry>(outcome).error == error);
    CHECK(std::get<Retry>(outcome).http_status == status);
  }
}

TEST_CASE("the third bad answer is final, whatever max_attempts says") {
  const Outcome bad = answer_of(solve_backend, "<html>");
  CHECK(std::holds_alternative<Retry>(give_up_on_bad_answers(bad, 1)));
  CHECK(std::holds_alternative<Retry>(give_up_on_bad_answers(bad, 2)));
  CHECK(std::get<Failed>(give_up_on_bad_answers(bad, 3)).error_code == "bad_response");
  const Outcome down = outcome_of(solve_backend, response_of(503, ""));
  CHECK(std::holds_alternative<Retry>(give_up_on_bad_answers(down, 3)));
}

}  // namespace sluice
