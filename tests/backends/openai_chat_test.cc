#include <doctest/doctest.h>

#include "backends/providers.h"
#include "support/body_text.h"
#include "support/exchange.h"

namespace sluice {

namespace {

constexpr const Backend& chat = openai_chat_backend;

Solved solved_by(std::string body) {
  const Outcome outcome = answer_of(chat, std::move(body));
  REQUIRE(std::holds_alternative<Solved>(outcome));
  return std::get<Solved>(outcome);
}

// As api.openai.com sent it, shortened: with padding, usage in a last chunk without choices.
constexpr std::string_view openai_stream =
    "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":17,\"model\":"
    "\"gpt-x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\","
    "\"refusal\":null},\"finish_reason\":null}],\"usage\":null,\"obfuscation\":\"x\"}\n\n"
    "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grüß\"},"
    "\"finish_reason\":null}]}\n\n"
    ": keep-alive\n\n"
    "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" Gott\"},"
    "\"finish_reason\":null}]}\n\n"
    "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{},"
    "\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"id\":\"chatcmpl-1\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,"
    "\"completion_tokens\":2,\"total_tokens\":11}}\n\n"
    "data: [DONE]\n\n";

}  // namespace

TEST_CASE("chat: a prompt becomes one message, streamed, with usage") {
  const HttpRequest request =
      request_for(chat, model_at("http://host/v1", "gpt"), prompt_of("say \"hi\""));
  CHECK(request.url == "http://host/v1/chat/completions");
  CHECK(text_of(request.body) ==
        R"({"model":"gpt","messages":[{"role":"user","content":"say \"hi\""}],)"
        R"("stream":true,"stream_options":{"include_usage":true}})");
}

TEST_CASE("chat: the limit of the answer has the name that its server knows") {
  Question question = prompt_of("p");
  question.max_output_tokens = 7;
  const auto body_at = [&](std::string url) {
    return text_of(request_for(chat, model_at(std::move(url)), question).body);
  };
  CHECK(body_at("https://api.openai.com/v1").find(R"("max_completion_tokens":7)") !=
        std::string::npos);
  CHECK(body_at("https://me.openai.azure.com:443/x").find(R"("max_completion_tokens":7)") !=
        std::string::npos);
  CHECK(body_at("http://127.0.0.1:8000/v1").find(R"("max_tokens":7)") != std::string::npos);
  CHECK(body_at("http://evil/.openai.com/v1").find(R"("max_tokens":7)") != std::string::npos);
}

TEST_CASE("chat: an answer with usage") {
  const Solved solved = solved_by(
      R"({"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
      R"("content":"four","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,)"
      R"("completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4}}})");
  CHECK(solved.answer == "four");
  CHECK(solved.input_tokens == 12);
  CHECK(solved.output_tokens == 3);
  CHECK(solved.finish.empty());
}

TEST_CASE("chat: an answer cut off is a success with its reason") {
  const auto finish_of = [](const std::string& reason) {
    return solved_by(R"({"choices":[{"message":{"content":"half"},"finish_reason":")" + reason +
                     R"("}]})")
        .finish;
  };
  CHECK(finish_of("length") == "length");
  CHECK(finish_of("content_filter") == "content_filter");
  CHECK(finish_of("tool_calls").empty());
}

TEST_CASE("chat: answers of other shapes") {
  CHECK(solved_by(R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},)"
                  R"({"type":"text","text":"b"}]}}]})")
            .answer == "ab");
  const Solved refused = solved_by(R"({"choices":[{"message":{"content":null,"refusal":"no"}}]})");
  CHECK(refused.answer == "no");
  CHECK(refused.finish == "refusal");
  const Solved call =
      solved_by(R"({"choices":[{"message":{"content":null,"tool_calls":[{"id":"c"}]}}]})");
  CHECK_FALSE(call.answer.has_value());
}

TEST_CASE("chat: what is no completion is tried again") {
  for (const char* body : {"{}", R"({"choices":[]})", R"({"choices":null})", R"({"choices":[{}]})",
                           R"({"choices":[{"message":"x"}]})", R"({"choices":[1]})"}) {
    CAPTURE(body);
    CHECK(std::holds_alternative<Retry>(answer_of(chat, body)));
  }
}

TEST_CASE("chat: cached and reasoning tokens are told, where there are any") {
  const auto solved_with = [](const std::string& usage) {
    return solved_by(R"({"choices":[{"message":{"content":""}}],"usage":{"prompt_tokens":20,)"
                     R"("completion_tokens":9,)" +
                     usage + "}}");
  };
  const Solved told = solved_with(
      R"("prompt_tokens_details":{"cached_tokens":16,"audio_tokens":0,"cache_write_tokens":3},)"
      R"("completion_tokens_details":{"reasoning_tokens":7})");
  CHECK(told.input_tokens == 20);
  CHECK(told.cached_tokens == 16);
  CHECK(told.cache_write_tokens == 3);
  CHECK(told.reasoning_tokens == 7);
  const Solved none = solved_with(
      R"("prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":null)");
  CHECK_FALSE(none.cached_tokens.has_value());
  CHECK_FALSE(none.reasoning_tokens.has_value());
  CHECK(solved_with(R"("prompt_cache_hit_tokens":5)").cached_tokens == 5);
}

TEST_CASE("chat: usage that makes no sense cannot spoil a flush") {
  const auto input_of = [](const std::string& count) {
    return solved_by(R"({"choices":[{"message":{"content":""}}],"usage":{"prompt_tokens":)" +
                     count + "}}")
        .input_tokens;
  };
  CHECK(input_of("9223372036854775807") == 2147483647);
  CHECK(input_of("1e300") == 2147483647);
  CHECK(input_of("12.0") == 12);
  CHECK(input_of("-1") == std::nullopt);
  CHECK(input_of("\"7\"") == std::nullopt);
  CHECK(input_of("null") == std::nullopt);
}

TEST_CASE("chat: a stream adds up to the body without streaming, however it is cut") {
  for (size_t piece : {1UL, 2UL, 3UL, 7UL, 1000UL}) {
    const auto body = streamed(chat, openai_stream, piece);
    REQUIRE(body);
    CHECK(*body == R"({"object":"chat.completion","created":17,"id":"chatcmpl-1","model":"gpt-x",)"
                   R"("choices":[{"index":0,"message":{"role":"assistant","content":"Grüß Gott"},)"
                   R"("finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,)"
                   R"("total_tokens":11}})");
    const Solved solved = solved_by(*body);
    CHECK(solved.answer == "Grüß Gott");
    CHECK(solved.output_tokens == 2);
  }
}

TEST_CASE("chat: tool calls, reasoning and several choices are put together") {
  const auto body = streamed(
      chat,
      "data: {\"choices\":[{\"index\":1,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\","
      "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":"
      "{\"arguments\":\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"
      "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"},"
      "\"finish_reason\":\"stop\"}]}\n\n",
      5);
  REQUIRE(body);
  CHECK(body->find(R"("tool_calls":[{"id":"c1","type":"function","function":{"name":"f",)"
                   R"("arguments":"{\"a\":1}"}}])") != std::string::npos);
  CHECK(body->find(R"("content":"x","reasoning_content":"hm")") != std::string::npos);
  CHECK_FALSE(solved_by(*body).answer.has_value());
}

TEST_CASE("chat: a stream that breaks off is no answer, wherever it breaks") {
  const size_t whole = openai_stream.find("data: {\"id\":\"chatcmpl-1\",\"choices\":[],");
  for (size_t length = 0; length < whole - 1; length += 11) {
    CHECK_FALSE(streamed(chat, openai_stream.substr(0, length), 50).has_value());
  }
  // Cut after the last choice ended: the answer is whole, its usage unknown.
  CHECK(streamed(chat, openai_stream.substr(0, whole), 50).has_value());
  CHECK_FALSE(streamed(chat, "data: [DONE]\n\n").has_value());
}

TEST_CASE("chat: a broken event makes the stream a broken one") {
  std::string bytes(openai_stream);
  bytes.replace(bytes.find("Grüß"), 1, 1, '\x01');
  CHECK_FALSE(streamed(chat, bytes, 50).has_value());
}

TEST_CASE("chat: an error in the stream is judged as its type, and nothing of the answer is kept") {
  const auto outcome_after = [](const std::string& error) {
    const std::string bytes =
        std::string(openai_stream.substr(0, openai_stream.find(": keep-alive"))) + error +
        "\n\ndata: [DONE]\n\n";
    return answer_of(chat, streamed(chat, bytes).value_or(""));
  };
  const Outcome throttled = outcome_after(
      R"(data: {"error":{"message":"slow","type":"requests","code":"rate_limit_exceeded"}})");
  CHECK(std::get<Throttled>(throttled).error_code == "http_429");
  const Outcome failed = outcome_after(
      R"(data: {"error":{"message":"long","type":"BadRequestError","param":null,"code":400}})");
  CHECK(std::get<Failed>(failed).http_status == 400);
  const Outcome unknown = outcome_after("event: error\ndata: {\"message\":\"oops\"}");
  CHECK(std::get<Retry>(unknown).error.find("oops") != std::string::npos);
}

TEST_CASE("chat: an endless stream ends the call") {
  StreamedBody body(chat.assembly(), 1000, [](const HttpFields&) {});
  bool goes_on = true;
  int events = 0;
  while (goes_on && ++events < 1000) {
    goes_on =
        body.take("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"aaaaaaaaaa\"}}]}\n\n");
  }
  CHECK(events < 100);
  StreamedBody choices(chat.assembly(), 100'000, [](const HttpFields&) {});
  goes_on = true;
  for (events = 0; goes_on && events < 10'000; ++events) {
    goes_on = choices.take("data: {\"choices\":[{\"index\":" + std::to_string(events) + "}]}\n\n");
  }
  CHECK(events < 1000);
}

}  // namespace sluice
