// Handlers for all tasks that meet some conditions: see docs/http.md. Each requires a condition, or
// an explicit statement that all tasks are meant.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> cancel_tasks(Services& services, ApiRequest request);
Co<HttpReply> redrive_tasks(Services& services, ApiRequest request);
Co<HttpReply> forget_tasks(Services& services, ApiRequest request);

}  // namespace sluice
