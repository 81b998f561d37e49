#include <doctest/doctest.h>

#include <ctime>

#include "backends/providers.h"
#include "support/body_text.h"
#include "support/exchange.h"

namespace sluice {

namespace {

constexpr const Backend& responses = openai_responses_backend;

const std::string whole =
    R"({"id":"resp_1","object":"response","status":"completed","error":null,)"
    R"("incomplete_details":null,"output":[{"type":"reasoning","summary":[]},{"type":"message",)"
    R"("role":"assistant","content":[{"type":"output_text","text":"fo","annotations":[]},)"
    R"({"type":"output_text","text":"ur"}]}],"usage":{"input_tokens":5,"input_tokens_details":)"
    R"({"cached_tokens":2},"output_tokens":6,"total_tokens":11}})";

std::string event(const std::string& type, const std::string& response) {
  return "event: " + type + "\ndata: {\"type\":\"" + type +
         "\",\"sequence_number\":1,\"response\":" + response + "}\n\n";
}

}  // namespace

TEST_CASE("responses: a prompt is the input, streamed") {
  Question question = prompt_of("p");
  question.max_output_tokens = 9;
  const HttpRequest request = request_for(responses, model_at("http://host/v1/"), question);
  CHECK(request.url == "http://host/v1/responses");
  CHECK(text_of(request.body) ==
        R"({"model":"m","input":"p","stream":true,"max_output_tokens":9})");
}

TEST_CASE("responses: the text of all messages is the answer") {
  const auto solved = std::get<Solved>(answer_of(responses, whole));
  CHECK(solved.answer == "four");
  CHECK(solved.input_tokens == 5);
  CHECK(solved.output_tokens == 6);
  CHECK(solved.cached_tokens == 2);
  CHECK_FALSE(solved.reasoning_tokens.has_value());
  CHECK(solved.finish.empty());
}

TEST_CASE("responses: an answer in many parts is put together in one pass") {
  std::string parts;
  for (int n = 0; n < 50'000; ++n) parts += R"({"text":")" + std::string(300, 'x') + "\"},";
  const std::string body =
      R"({"output":[{"type":"message","content":[)" + parts + R"({"text":""}]}]})";
  const std::clock_t begin = std::clock();
  CHECK(std::get<Solved>(answer_of(responses, body)).answer->size() == 15'000'000);
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 5);  // copied for each part: 40 s
}

TEST_CASE("responses: an incomplete one is a success with its reason") {
  const auto solved = std::get<Solved>(
      answer_of(responses,
                R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},)"
                R"("output":[{"type":"message","content":[{"type":"output_text","text":"h"}]}]})"));
  CHECK(solved.answer == "h");
  CHECK(solved.finish == "max_output_tokens");
}

TEST_CASE("responses: a refusal is the answer, with its reason") {
  const auto solved = std::get<Solved>(
      answer_of(responses, R"({"status":"completed","output":[{"type":"message","content":)"
                           R"([{"type":"refusal","refusal":"no"}]}]})"));
  CHECK(solved.answer == "no");
  CHECK(solved.finish == "refusal");
}

TEST_CASE("responses: a failed one is judged by its error") {
  const auto outcome_with = [](const std::string& code) {
    return answer_of(responses, R"({"status":"failed","output":[],"error":{"code":")" + code +
                                    R"(","message":"x"}})");
  };
  CHECK(std::holds_alternative<Retry>(outcome_with("server_error")));
  CHECK(std::holds_alternative<Throttled>(outcome_with("rate_limit_exceeded")));
  CHECK(std::holds_alternative<Failed>(outcome_with("invalid_prompt")));
}

TEST_CASE("responses: one in the background is not fetched later, and not asked for twice") {
  const Outcome outcome = answer_of(responses, R"({"status":"queued","output":[]})");
  CHECK(std::get<Failed>(outcome).error_code == "not_finished");
}

TEST_CASE("responses: the last event of a stream holds the whole") {
  const std::string bytes =
      event("response.created", R"({"status":"in_progress","output":[]})") +
      "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":"
      "\"fo\"}\n\n" +
      event("response.completed", whole);
  CHECK(streamed(responses, bytes, 13) == whole);
  CHECK_FALSE(streamed(responses, bytes.substr(0, bytes.size() - 3)).has_value());
  CHECK(std::holds_alternative<Retry>(answer_of(
      responses, *streamed(responses, event("response.failed",
                                            R"({"status":"failed","error":{"code":"server_error",)"
                                            R"("message":"x"},"output":[]})")))));
}

TEST_CASE("responses: an error event has no error object around it") {
  const auto body = streamed(responses,
                             "event: error\ndata: {\"type\":\"error\",\"code\":"
                             "\"rate_limit_exceeded\",\"message\":\"slow\",\"param\":null}\n\n");
  REQUIRE(body);
  CHECK(std::holds_alternative<Throttled>(answer_of(responses, *body)));
}

}  // namespace sluice
