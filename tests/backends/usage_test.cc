#include "backends/usage.h"

#include <doctest/doctest.h>

#include <string>

#include "backends/json_fields.h"

namespace sluice {

namespace {

struct Counts {
  std::optional<int64_t> input, output, cached, written, reasoning;
  bool operator==(const Counts&) const = default;
};

Counts counts_of(const std::string& body) {
  JsonReader reader;
  const auto root = reader.read(body);
  REQUIRE(root);
  const Usage usage = usage_of(*root);
  return {usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cache_write_tokens,
          usage.reasoning_tokens};
}

constexpr std::nullopt_t none = std::nullopt;

}  // namespace

TEST_CASE("usage of OpenAI's chat and Responses, with its parts") {
  CHECK(counts_of(R"({"usage":{"prompt_tokens":12,"completion_tokens":30}})") ==
        Counts{12, 30, none, none, none});
  CHECK(counts_of(R"({"usage":{"prompt_tokens":12,"completion_tokens":30,
      "prompt_tokens_details":{"cached_tokens":8},
      "completion_tokens_details":{"reasoning_tokens":20}}})") == Counts{12, 30, 8, none, 20});
  CHECK(counts_of(R"({"usage":{"input_tokens":12,"output_tokens":30,
      "input_tokens_details":{"cached_tokens":8,"cache_write_tokens":4},
      "output_tokens_details":{"reasoning_tokens":20}}})") == Counts{12, 30, 8, 4, 20});
}

TEST_CASE("Anthropic's input is the sum of three") {
  CHECK(counts_of(R"({"usage":{"input_tokens":5,"cache_creation_input_tokens":100,
      "cache_read_input_tokens":2000,"output_tokens":7}})") == Counts{2105, 7, 2000, 100, none});
}

TEST_CASE("Gemini's thoughts are output, and reasoning") {
  CHECK(counts_of(R"({"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":30}})") ==
        Counts{12, 30, none, none, none});
  CHECK(counts_of(R"({"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":30,
      "thoughtsTokenCount":200,"cachedContentTokenCount":8,"totalTokenCount":242}})") ==
        Counts{12, 230, 8, none, 200});
  // All of max_output_tokens went into thoughts.
  CHECK(counts_of(R"({"usageMetadata":{"promptTokenCount":12,"thoughtsTokenCount":64}})") ==
        Counts{12, 64, none, none, 64});
}

TEST_CASE("usage of DeepSeek's cache, and of Ollama") {
  CHECK(counts_of(R"({"usage":{"prompt_tokens":12,"completion_tokens":30,
      "prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":4}})") ==
        Counts{12, 30, 8, none, none});
  CHECK(counts_of(R"({"prompt_eval_count":12,"eval_count":30})") ==
        Counts{12, 30, none, none, none});
}

TEST_CASE("a part of 0 is absent, and so is a count that is none") {
  CHECK(counts_of(R"({"usage":{"prompt_tokens":12,"completion_tokens":0,
      "prompt_tokens_details":{"cached_tokens":0},
      "completion_tokens_details":{"reasoning_tokens":0}}})") == Counts{12, 0, none, none, none});
  CHECK(counts_of(R"({"usage":{"prompt_tokens":-1,"completion_tokens":"30"}})") == Counts{});
  CHECK(counts_of(R"({"usageMetadata":null})") == Counts{});
  CHECK(counts_of("{}") == Counts{});
}

TEST_CASE("a count is never more than PostgreSQL's int holds") {
  constexpr int64_t most = 2'147'483'647;
  CHECK(counts_of(R"({"usage":{"prompt_tokens":1e300,"completion_tokens":12.0}})") ==
        Counts{most, 12, none, none, none});
  CHECK(counts_of(R"({"usageMetadata":{"candidatesTokenCount":2147483647,
      "thoughtsTokenCount":2147483647}})") == Counts{none, most, none, none, most});
}

}  // namespace sluice
