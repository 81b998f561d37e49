// The plain API `solve`: POST {"model","prompt"} → {"answer"}, for self-hosted models and for the
// mock.
#pragma once

#include "backends/backend.h"

namespace sluice {

extern const Backend solve_backend;

}  // namespace sluice
