#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>

#include "backends/providers.h"
#include "support/body_text.h"
#include "support/exchange.h"

namespace sluice {

namespace {

constexpr const Backend& messages = anthropic_messages_backend;

constexpr std::string_view stream =
    "event: message_start\r\n"
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":"
    "\"assistant\",\"model\":\"claude\",\"content\":[],\"stop_reason\":null,\"usage\":"
    "{\"input_tokens\":3,\"cache_read_input_tokens\":10,\"output_tokens\":1}}}\r\n\r\n"
    "event: content_block_start\r\n"
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
    "\"text\":\"\"}}\r\n\r\n"
    "event: ping\r\ndata: {\"type\": \"ping\"}\r\n\r\n"
    "event: content_block_delta\r\n"
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
    "\"text\":\"Hel\"}}\r\n\r\n"
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
    "\"text\":\"lo\"}}\r\n\r\n"
    "data: {\"type\":\"content_block_stop\",\"index\":0}\r\n\r\n"
    "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\","
    "\"id\":\"t1\",\"name\":\"f\",\"input\":{}}}\r\n\r\n"
    "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
    "\"partial_json\":\"{\\\"a\\\":\"}}\r\n\r\n"
    "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
    "\"partial_json\":\"100000000000000000000}\"}}\r\n\r\n"
    "data: {\"type\":\"content_block_stop\",\"index\":1}\r\n\r\n"
    "event: message_delta\r\n"
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"},\"usage\":"
    "{\"output_tokens\":15}}\r\n\r\n"
    "event: message_stop\r\ndata: {\"type\":\"message_stop\"}\r\n\r\n";

}  // namespace

TEST_CASE("messages: a prompt is one message, with the limit that the API wants") {
  Question question = prompt_of("p");
  const HttpRequest request = request_for(messages, model_at("http://host"), question);
  CHECK(request.url == "http://host/v1/messages");
  CHECK(text_of(request.body) == R"({"model":"m","max_tokens":4096,"messages":[{"role":"user",)"
                                 R"("content":"p"}],"stream":true})");
  CHECK(std::count(request.headers.begin(), request.headers.end(),
                   "anthropic-version: 2023-06-01") == 1);
  question.max_output_tokens = 10;
  CHECK(text_of(request_for(messages, model_at("http://host"), question).body)
            .find("\"max_tokens\":10,") != std::string::npos);
}

TEST_CASE("messages: texts are the answer, and the input is the sum of three counts") {
  const auto solved = std::get<Solved>(answer_of(
      messages,
      R"({"id":"msg_1","type":"message","content":[{"type":"thinking","thinking":"hm"},)"
      R"({"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"end_turn","usage":)"
      R"({"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,)"
      R"("output_tokens":7}})"));
  CHECK(solved.answer == "ab");
  CHECK(solved.input_tokens == 123);
  CHECK(solved.cached_tokens == 100);
  CHECK(solved.cache_write_tokens == 20);
  CHECK(solved.output_tokens == 7);
  CHECK(solved.finish.empty());
}

TEST_CASE("messages: an answer in many blocks is put together in one pass") {
  std::string body = R"({"content":[)";
  for (int n = 0; n < 50'000; ++n) {
    body += R"({"type":"text","text":")" + std::string(300, 'x') + "\"},";
  }
  body += R"({"type":"text","text":""}]})";
  const std::clock_t begin = std::clock();
  CHECK(std::get<Solved>(answer_of(messages, body)).answer->size() == 15'000'000);
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 5);  // copied for each block: 40 s
}

TEST_CASE("messages: an answer that was stopped is a success with its reason") {
  for (const std::string reason : {"max_tokens", "refusal", "pause_turn"}) {
    CHECK(std::get<Solved>(answer_of(messages, R"({"content":[],"stop_reason":")" + reason + "\"}"))
              .finish == reason);
  }
}

TEST_CASE("messages: a stream adds up to the message") {
  for (size_t piece : {1UL, 4UL, 500UL}) {
    const auto body = streamed(messages, stream, piece);
    REQUIRE(body);
    const auto solved = std::get<Solved>(answer_of(messages, *body));
    CHECK(solved.answer == "Hello");
    CHECK(solved.input_tokens == 13);
    CHECK(solved.cached_tokens == 10);
    CHECK(solved.output_tokens == 15);
    CHECK(solved.finish == "max_tokens");
    CHECK(body->find(
              R"({"id":"t1","input":{"a":100000000000000000000},"name":"f","type":"tool_use"})") !=
          std::string::npos);
  }
}

TEST_CASE("messages: a stream without its message_stop is no answer") {
  for (size_t length = 0; length < stream.size() - 2; length += 29) {
    CHECK_FALSE(streamed(messages, stream.substr(0, length), 100).has_value());
  }
}

TEST_CASE("messages: an error event is judged as its type") {
  const auto outcome_with = [](const std::string& type) {
    const std::string bytes = std::string(stream.substr(0, stream.find("event: ping"))) +
                              "event: error\r\ndata: {\"type\":\"error\",\"error\":{\"type\":\"" +
                              type + "\",\"message\":\"x\"}}\r\n\r\n";
    return answer_of(messages, streamed(messages, bytes).value_or(""));
  };
  const auto overloaded = std::get<Retry>(outcome_with("overloaded_error"));
  CHECK(overloaded.http_status == 529);
  CHECK(overloaded.retry_after_ms == 10'000);
  CHECK(std::holds_alternative<Throttled>(outcome_with("rate_limit_error")));
  CHECK(std::holds_alternative<Failed>(outcome_with("invalid_request_error")));
  CHECK(std::get<Parked>(outcome_with("authentication_error")).cause == Parked::Cause::credential);
  CHECK(std::get<Parked>(outcome_with("billing_error")).cause == Parked::Cause::billing);
}

}  // namespace sluice
