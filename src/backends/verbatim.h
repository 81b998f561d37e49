// Requests that the user wrote himself, as JSON. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// `request` with the value of every top-level "model" replaced by `model`, or with one added.
// Everything else stays byte for byte, numbers beyond double included. Every one, however its key
// is escaped and in whatever case: parsers disagree about which of two counts, Go's takes "Model"
// for "model", and the model must be ours. Of more than eight the others name none, so that a
// request does not grow.
std::string with_model(const std::string& request, std::string_view model);

}  // namespace sluice
