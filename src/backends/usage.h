// Token counts of a response, in every shape that backends use. Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace simdjson::dom {
class element;
}

namespace sluice {

struct Usage {
  std::optional<int64_t> input_tokens;
  std::optional<int64_t> output_tokens;
  std::optional<int64_t> cached_tokens;
  std::optional<int64_t> cache_write_tokens;
  std::optional<int64_t> reasoning_tokens;
};

// OpenAI's chat and Responses, Anthropic's (its input is the sum of three), Gemini's, Ollama's.
// Each count is between 0 and the largest that PostgreSQL's int holds; the last three are parts of
// the first two, and absent where they are 0.
Usage usage_of(const simdjson::dom::element& body);

}  // namespace sluice
