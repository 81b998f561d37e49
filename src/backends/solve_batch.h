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

// The outcome of each of `prompts` tasks that shared one call. `reply`: the response, or the
// outcome of a call without one. A call that failed as a whole may be one prompt's fault: then each
// task has BatchFailed, unless the model was refused or the connection never made.
std::vector<Outcome> outcomes_of_batch(const tl::expected<HttpResponse, Outcome>& reply,
                                       size_t prompts);

}  // namespace sluice
