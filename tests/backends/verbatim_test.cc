#include "backends/verbatim.h"

#include <doctest/doctest.h>

#include "backends/providers.h"
#include "support/body_text.h"
#include "support/exchange.h"

namespace sluice {

TEST_CASE("a verbatim request keeps everything but the model's name") {
  CHECK(with_model(R"({"model":"theirs","x":1e400, "y" : [1, 2]})", "ours") ==
        R"({"model":"ours","x":1e400, "y" : [1, 2]})");
  CHECK(with_model(R"({ "x": {"model": "inner"}, "model" : "a\"b" })", "o") ==
        R"({ "x": {"model": "inner"}, "model" : "o" })");
  CHECK(with_model(R"({"n":123456789012345678901234567890,"model":"m" ,"u":"\u00e4\/"})", "o") ==
        R"({"n":123456789012345678901234567890,"model":"o" ,"u":"\u00e4\/"})");
  CHECK(with_model("{\n\t\"model\"\t:\n\"a\"\n}", "o") == "{\n\t\"model\"\t:\n\"o\"\n}");
  CHECK(with_model(R"({"x":1})", "o") == R"({"model":"o","x":1})");
  CHECK(with_model("{}", "o") == R"({"model":"o"})");
  CHECK(with_model("  { }", "o") == R"(  {"model":"o" })");
  CHECK(with_model(R"({"model":"a"})", "quote\"d") == R"({"model":"quote\"d"})");
}

TEST_CASE("no second or disguised model name gets past") {
  CHECK(with_model(R"({"model":"a","x":1,"model":"b"})", "o") ==
        R"({"model":"o","x":1,"model":"o"})");
  CHECK(with_model(R"({"mod\u0065l":"a"})", "o") == R"({"mod\u0065l":"o"})");
  CHECK(with_model(R"({"model":{"a":[1]},"x":1})", "o") == R"({"model":"o","x":1})");
  CHECK(with_model(R"({"model":[1, 2] , "x":1})", "o") == R"({"model":"o" , "x":1})");
  CHECK(with_model(R"({"model": null,"x":1})", "o") == R"({"model": "o","x":1})");
  CHECK(with_model(R"({"model":-1.5e3 ,"x":1})", "o") == R"({"model":"o" ,"x":1})");
}

TEST_CASE("a request of nothing but model names does not grow") {
  std::string request = R"({"model":1)";
  for (int n = 0; n < 10'000; ++n) request += R"(,"MODEL":1)";
  request += "}";
  const std::string sent = with_model(request, std::string(200, 'o'));
  CHECK(sent.size() < request.size() * 5 / 4);
  CHECK(sent.find(":1") == std::string::npos);
}

TEST_CASE("no model name gets past in other letters, to a backend that ignores case") {
  CHECK(with_model(R"({"model":"a","Model":"b","MODEL":[1],"mode":2,"models":3})", "o") ==
        R"({"model":"o","Model":"o","MODEL":"o","mode":2,"models":3})");
  CHECK(with_model(R"({"\u004dodel":"b", "x":1})", "o") ==
        R"({"model":"o","\u004dodel":"o", "x":1})");
}

TEST_CASE("what is no object is left as it is") {
  for (const char* request : {"", "[]", "1", "\"x\"", "null", "{", "nonsense"}) {
    CAPTURE(request);
    const std::string sent = with_model(request, "o");
    CHECK((sent == request || sent == "{\"model\":\"o\""));
  }
}

TEST_CASE("a deeply nested request passes") {
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  CHECK(with_model("{\"x\":" + deep + ",\"model\":\"a\"}", "o") ==
        "{\"x\":" + deep + ",\"model\":\"o\"}");
}

TEST_CASE("a verbatim request is sent to any API as it is, streamed only if it says so") {
  for (const char* api :
       {"solve", "openai-chat", "openai-responses", "openai-embeddings", "anthropic-messages"}) {
    Question question;
    question.request = R"({"model":"x","temperature":0})";
    question.max_output_tokens = 5;
    CHECK(text_of(request_for(*find_backend(api), model_at("http://host"), question).body) ==
          R"({"model":"m","temperature":0})");
  }
  CHECK(find_backend("telepathy") == nullptr);
}

}  // namespace sluice
