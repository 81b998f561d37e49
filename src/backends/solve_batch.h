// Several prompts in one call of the solve API: POST /batch {"model","prompts":[…]} →
// {"answers":[…]}, in the same order. An answer is a text, or the object that /single would have
// answered: {"answer":…}, or {"error":…} for a prompt that fails alone. A pair of pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"

namespace sluice {

inline constexpr std::string_view batch_path = "/batch";

// Whether a backend of api solve has /solve, /single or /batch: as sluice.models.paths says, else
// /solve alone, and with batch_max above 1 the other two.
bool offers(const Model& model, std::string_view path);

// Without limits and credential, which are the caller's. All prompts have the same limit of output.
HttpRequest batch_request_for(const Model& model, std::vector<std::string> prompts,
                              std::optional<int64_t> max_output_tokens);

// What came back means for each of `prompts` tasks; its error is what it means that nothing did. A
// call that failed as a whole, but for a refusal of the model and a connection that was never made,
// may be one prompt's fault: it is BatchFailed for each.
std::vector<Outcome> outcomes_of_batch(const tl::expected<HttpResponse, Outcome>& reply,
                                       size_t prompts);

}  // namespace sluice
