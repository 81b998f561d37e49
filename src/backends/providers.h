// The APIs that Sluice speaks, one file each. Owns nothing else.
#pragma once

#include "backends/backend.h"

namespace sluice {

// POST {"model","prompt"} → {"answer"}: for self-hosted models and for the mock.
extern const Backend solve_backend;
// OpenAI's chat completions, which vLLM, llama.cpp, Ollama and most others speak too.
extern const Backend openai_chat_backend;
extern const Backend openai_responses_backend;
extern const Backend openai_embeddings_backend;
extern const Backend anthropic_messages_backend;

}  // namespace sluice
