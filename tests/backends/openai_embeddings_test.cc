#include <doctest/doctest.h>

#include "backends/providers.h"
#include "support/body_text.h"
#include "support/exchange.h"

namespace sluice {

TEST_CASE("embeddings: a prompt is the input") {
  const HttpRequest request =
      request_for(openai_embeddings_backend, model_at("http://host/v1"), prompt_of("p"));
  CHECK(request.url == "http://host/v1/embeddings");
  CHECK(text_of(request.body) == R"({"model":"m","input":"p"})");
}

TEST_CASE("embeddings: the vector stands in the response, and there is no text") {
  const std::string body =
      R"({"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.1,-2e-3]}],)"
      R"("model":"m","usage":{"prompt_tokens":8,"total_tokens":8}})";
  const auto solved = std::get<Solved>(answer_of(openai_embeddings_backend, body));
  CHECK_FALSE(solved.answer.has_value());
  CHECK(solved.response == body);
  CHECK(solved.input_tokens == 8);
  CHECK_FALSE(solved.output_tokens.has_value());
}

TEST_CASE("embeddings: an answer that lacks a vector is tried again") {
  for (const char* body :
       {"{}", R"({"data":[]})", R"({"data":[{"embedding":[1]},{"index":1}]})", R"({"data":[1]})"}) {
    CAPTURE(body);
    CHECK(std::holds_alternative<Retry>(answer_of(openai_embeddings_backend, body)));
  }
}

}  // namespace sluice
