#include "backends/verdict.h"

#include <doctest/doctest.h>

#include "backends/providers.h"
#include "backends/text.h"
#include "support/exchange.h"

namespace sluice {

namespace {

enum class Class { failed, retry, refused, throttled, credential, billing };

Class class_of(const Outcome& outcome) {
  if (const auto* parked = std::get_if<Parked>(&outcome)) {
    return parked->cause == Parked::Cause::billing ? Class::billing : Class::credential;
  }
  if (std::holds_alternative<Throttled>(outcome)) return Class::throttled;
  if (std::holds_alternative<Retry>(outcome)) return Class::retry;
  if (std::holds_alternative<Refused>(outcome)) return Class::refused;
  REQUIRE(std::holds_alternative<Failed>(outcome));
  return Class::failed;
}

struct Row {
  int status;
  const char* body;
  Class expected;
};

// llm-apis.md, §2, with the errors as the providers send them.
const Row rows[] = {
    {301, "", Class::failed},
    {400, R"({"error":{"message":"bad","type":"invalid_request_error","param":null,"code":null}})",
     Class::failed},
    {400,
     R"({"error":{"message":"too long","type":"invalid_request_error","param":"messages",)"
     R"("code":"context_length_exceeded"}})",
     Class::failed},
    {400,
     R"({"error":{"code":400,"message":"exceeds","type":"exceed_context_size_error",)"
     R"("n_prompt_tokens":9,"n_ctx":8}})",
     Class::failed},
    {400,
     R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance)"
     R"( is too low to access the Anthropic API."},"request_id":"r"})",
     Class::billing},
    {400,
     R"({"type":"error","error":{"type":"invalid_request_error","message":"You have reached)"
     R"( your specified API usage limits. You will regain access on 2026-12-01."}})",
     Class::billing},
    // A prompt that is quoted must not park a model.
    {400, R"({"error":{"message":"bad prompt: Your credit balance is too low"}})", Class::failed},
    {401,
     R"({"error":{"message":"Incorrect API key","type":"invalid_request_error",)"
     R"("code":"invalid_api_key"}})",
     Class::credential},
    {401, R"({"type":"error","error":{"type":"authentication_error","message":"x"}})",
     Class::credential},
    {402, R"({"type":"error","error":{"type":"billing_error","message":"x"}})", Class::billing},
    {402, "<html>pay</html>", Class::billing},
    {403, R"({"error":{"message":"Country not supported","code":"unsupported_country"}})",
     Class::refused},
    {403, "<html>blocked</html>", Class::refused},
    {404, R"({"error":"model \"x\" not found, try pulling it first"})", Class::refused},
    {404, R"({"error":{"message":"no","code":"model_not_found"}})", Class::refused},
    {405, "", Class::refused},
    {408, "", Class::retry},
    {409, "", Class::retry},
    {413, R"({"type":"error","error":{"type":"request_too_large","message":"x"}})", Class::failed},
    {415, "", Class::failed},
    {422, R"({"detail":[{"loc":["body"],"msg":"field required"}]})", Class::failed},
    {425, "", Class::retry},
    {429,
     R"({"error":{"message":"Rate limit reached","type":"tokens","code":)"
     R"("rate_limit_exceeded"}})",
     Class::throttled},
    {429,
     R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota",)"
     R"("param":null,"code":"insufficient_quota"}})",
     Class::billing},
    // Larger than the quota of a whole minute: it would be throttled for ever.
    {429,
     R"({"error":{"message":"Request too large for gpt-4o in organization org-x on tokens per min)"
     R"( (TPM): Limit 30000, Requested 50000.","type":"tokens","code":"rate_limit_exceeded"}})",
     Class::failed},
    {429, R"({"error":{"message":"request too large"}})", Class::failed},
    {429, R"({"type":"error","error":{"type":"request_too_large","message":"x"}})", Class::failed},
    {429, R"({"error":{"message":"slow down, bad prompt: Request too large"}})", Class::throttled},
    {429, R"({"error":{"code":"credit_balance_exhausted"}})", Class::billing},
    {429, R"({"error":{"code":"billing_hard_limit_reached"}})", Class::billing},
    {429, R"({"type":"error","error":{"type":"rate_limit_error","message":"accelerated"}})",
     Class::throttled},
    // Gemini says this of an ordinary rate limit.
    {429,
     R"([{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your)"
     R"( current quota, please check your plan and billing details."}}])",
     Class::throttled},
    {429, "", Class::throttled},
    {431, "", Class::failed},
    {499, "", Class::failed},
    {500, R"({"error":{"message":"x","type":"server_error"}})", Class::retry},
    {501, "", Class::retry},
    {502, "<html>Bad Gateway</html>", Class::retry},
    {503, R"({"error":"server busy, please try again.  maximum pending requests exceeded"})",
     Class::retry},
    {503, R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})",
     Class::retry},
    {503, R"({"error":{"message":"x","code":"slow_down"}})", Class::throttled},
    {503, R"({"error":{"message":"x","code":"server_is_overloaded"}})", Class::retry},
    {504, "", Class::retry},
    {520, "", Class::retry},
    {524, "", Class::retry},
    {529, R"({"type":"error","error":{"type":"overloaded_error","message":"x"}})", Class::retry},
    {999, "", Class::retry},
};

Outcome outcome_with(int status, std::string body, HttpFields headers = HttpFields()) {
  return outcome_of(openai_chat_backend, response_of(status, std::move(body), std::move(headers)));
}

}  // namespace

TEST_CASE("each error of each provider has its class") {
  for (const Row& row : rows) {
    CAPTURE(row.status);
    CAPTURE(row.body);
    CHECK(class_of(outcome_with(row.status, row.body)) == row.expected);
  }
}

TEST_CASE("the same errors after a 200 have the same classes") {
  for (const Row& row : rows) {
    const std::string_view body = row.body;
    if (body.find("\"error\"") == std::string_view::npos || row.status == 403) continue;
    if (body.find("code") == std::string_view::npos && body.find("type") == std::string_view::npos)
      continue;  // a bare text has no type to judge by
    CAPTURE(row.body);
    CHECK(class_of(outcome_with(200, row.body)) ==
          (body.find("bad prompt") == std::string::npos ? row.expected : Class::retry));
  }
}

TEST_CASE("a prompt that is too long, or refused, has a code of its own") {
  const auto code_of = [](int status, const std::string& body) {
    const Outcome outcome = outcome_with(status, body);
    const auto* failed = std::get_if<Failed>(&outcome);
    return failed != nullptr ? failed->error_code : "no failure";
  };
  const auto said = [](std::string_view message) {
    return R"({"error":{"message":")" + std::string(message) + R"("}})";
  };
  for (const char* name :
       {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}) {
    CAPTURE(name);
    for (const char* field : {"code", "type"}) {
      const std::string body =
          R"({"error":{"message":"x",")" + std::string(field) + R"(":")" + name + R"("}})";
      CHECK(code_of(400, body) == "context_too_long");
      CHECK(code_of(200, body) == "context_too_long");
    }
  }
  for (const char* message :
       {"prompt is too long: 208310 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000",
        "This model's maximum context length is 4097 tokens. However, your messages resulted in",
        "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum",
        "The input token count (1300000) exceeds the maximum number of tokens allowed (1048575).",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Your input exceeds the context window of this model.",
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "Requested token count exceeds the model's maximum context length of 8192 tokens.",
        "Please reduce the length of the messages or completion.",
        "Your request exceeded model token limit: 8192", "Input is too long for requested model.",
        "litellm.ContextWindowExceededError: litellm.BadRequestError: x"}) {
    CAPTURE(message);
    CHECK(code_of(400, said(message)) == "context_too_long");
    CHECK(code_of(500, said(message)) == "no failure");
    CHECK(code_of(400, said(std::string("bad prompt: ") + message)) == "http_400");
  }
  for (const char* name : {"content_filter", "content_policy_violation", "moderation_blocked",
                           "ResponsibleAIPolicyViolation", "data_inspection_failed"}) {
    CAPTURE(name);
    CHECK(code_of(400, R"({"error":{"message":"x","code":")" + std::string(name) + R"("}})") ==
          "content_refused");
  }
  for (const char* message :
       {"Output blocked by content filtering policy",
        "Your request was rejected as a result of our safety system.",
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
        "Content violates usage guidelines.",
        "Your chosen model requires moderation and your input was flagged for violence.",
        "Input data may contain inappropriate content.",
        "litellm.ContentPolicyViolationError: x"}) {
    CAPTURE(message);
    CHECK(code_of(400, said(message)) == "content_refused");
    CHECK(code_of(403, said(message)) == "content_refused");  // says nothing of the key
    CHECK(code_of(403, said(std::string("bad prompt: ") + message)) == "no failure");
  }
  CHECK(code_of(413, R"({"error":{"type":"request_too_large","message":"x"}})") == "http_413");
}

TEST_CASE("a backend's own word overrides the table, but for bills") {
  const auto class_with = [](int status, const char* word, const char* body = "") {
    return class_of(outcome_with(status, body, HttpFields{{"x-should-retry", word}}));
  };
  CHECK(class_with(400, "true") == Class::retry);
  CHECK(class_with(401, "true") == Class::retry);
  CHECK(class_with(429, "true") == Class::throttled);
  CHECK(class_with(429, "false") == Class::failed);
  CHECK(class_with(500, "false") == Class::failed);
  CHECK(class_with(500, "perhaps") == Class::retry);
  CHECK(class_with(401, "false") == Class::credential);
  for (const int status : {403, 404, 405}) {
    CHECK(class_with(status, "false") == Class::refused);
    CHECK(class_with(status, "true") == Class::retry);
  }
  CHECK(class_with(429, "true", R"({"error":"Request too large for m"})") == Class::failed);
  CHECK(class_with(429, "true", R"({"error":{"code":"insufficient_quota"}})") == Class::billing);
}

TEST_CASE("a throttled answer carries the backend's time, an overloaded one at least ten seconds") {
  const auto throttled =
      std::get<Throttled>(outcome_with(429, "", HttpFields{{"retry-after", "7"}}));
  CHECK(throttled.retry_after_ms == 7000);
  CHECK(std::get<Retry>(outcome_with(529, "")).retry_after_ms == 10'000);
  CHECK(std::get<Retry>(outcome_with(529, "", HttpFields{{"retry-after", "20"}})).retry_after_ms ==
        20'000);
  CHECK(std::get<Retry>(outcome_with(503, "")).retry_after_ms == std::nullopt);
}

TEST_CASE("an error is told in one clean line, with the backend's name for the request") {
  const auto failed = std::get<Failed>(
      outcome_with(400, "{\"error\":{\"message\":\"a\\nb\\u0000\",\"code\":\"x\"}}",
                   HttpFields{{"x-request-id", "req_1"}}));
  CHECK(failed.error == "HTTP 400, x: a b\xEF\xBF\xBD [request req_1]");
  CHECK(failed.error_code == "http_400");
  CHECK(failed.billed == false);
}

TEST_CASE("an error's text is bounded") {
  const auto failed = std::get<Failed>(
      outcome_with(400, R"({"error":{"message":")" + std::string(1'000'000, 'x') + R"("}})",
                   HttpFields{{"request-id", std::string(10'000, 'y')}}));
  CHECK(failed.error.size() < 1200);
}

TEST_CASE("a call that brought no response is charged, unless nothing was sent") {
  const auto outcome = [](HttpFailure::Kind kind) {
    const HttpFailure failure{kind, "why"};
    return outcome_of_failure(failure);
  };
  CHECK(std::get<Unsent>(outcome(HttpFailure::Kind::not_sent)).error == "why");
  CHECK(std::get<Retry>(outcome(HttpFailure::Kind::unanswered)).billed == std::nullopt);
  CHECK(std::get<Retry>(outcome(HttpFailure::Kind::timed_out)).billed == std::nullopt);
}

TEST_CASE("an error names the URL that was called, without what may be secret") {
  const auto error_at = [](const char* url, Outcome outcome) {
    outcome = with_url(std::move(outcome), model_at(url), "/chat/completions");
    if (const auto* unsent = std::get_if<Unsent>(&outcome)) return unsent->error;
    if (const auto* retry = std::get_if<Retry>(&outcome)) return retry->error;
    return std::get<Refused>(outcome).error;
  };
  const Refused refused{"http_404", "HTTP 404", 404};
  CHECK(error_at("http://host:1/", refused) ==
        "calls go to http://host:1/chat/completions: HTTP 404");
  CHECK(error_at("https://user:pass@host", refused) ==
        "calls go to https://host/chat/completions: HTTP 404");
  CHECK(error_at("https://user:p@ss@host/x@y", refused) ==
        "calls go to https://host/x@y/chat/completions: HTTP 404");
  CHECK(error_at("https://user:p/ss@host:8/x", refused) ==
        "calls go to https://host:8/x/chat/completions: HTTP 404");
  CHECK(error_at("http://[::1]:8/x@y", refused) ==
        "calls go to http://[::1]:8/x@y/chat/completions: HTTP 404");
  CHECK(error_at("http://host/v1?key=hidden", refused) ==
        "calls go to http://host/v1/chat/completions: HTTP 404");
  CHECK(error_at("http://host", Unsent{"refused"}) ==
        "nothing was sent to http://host/chat/completions: refused");
  CHECK(error_at("http://host/v1/chat/completions", refused) ==
        "calls go to http://host/v1/chat/completions/chat/completions (leave /chat/completions out "
        "of the url): HTTP 404");
  CHECK(error_at("http://host", Retry{"http_501", "HTTP 501", 501, {}, {}}) ==
        "calls go to http://host/chat/completions: HTTP 501");
  CHECK(error_at("http://host", Retry{"http_500", "HTTP 500", 500, {}, {}}) == "HTTP 500");
}

TEST_CASE("errors for people hold no control characters") {
  CHECK(error_text("a\nb\x1b[31m", 100) == "a b [31m");
  CHECK(error_text("abcdef", 3) == "abc");
}

TEST_CASE("text that PostgreSQL would refuse is made harmless") {
  CHECK(harmless_text(std::string("x\0y\xC3\x28\xF0\x9F\x98\x80\xED\xA0\x80", 12)) ==
        "x\xEF\xBF\xBDy\xEF\xBF\xBD(\xF0\x9F\x98\x80\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace sluice
