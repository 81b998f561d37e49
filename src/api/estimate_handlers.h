// Dry runs: what tasks or a batch would come to, told instead of taking them.
#pragma once

#include <optional>
#include <string>

#include "api/routes.h"
#include "result.h"

namespace sluice {

// Whether the argument dry_run asks for one. Error: the answer to another value than true and
// false, so that nobody submits by a slip.
tl::expected<bool, HttpReply> asks_dry_run(const HttpFields& query);

// Of a body for POST /v1/tasks; `key`: of the header Idempotency-Key.
Co<HttpReply> estimate_tasks(Services& services, ApiRequest request,
                             std::optional<std::string> key);

// Of a body for either API of batches. Its lines are validated at once.
Co<HttpReply> estimate_batch(Services& services, ApiRequest request, bool is_messages);

}  // namespace sluice
