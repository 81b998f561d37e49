// The handlers that act on all tasks which meet some conditions: see docs/http.md. Each wants one,
// or to be told that everything is meant.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> cancel_tasks(Services& services, ApiRequest request);
Co<HttpReply> redrive_tasks(Services& services, ApiRequest request);
Co<HttpReply> forget_tasks(Services& services, ApiRequest request);

}  // namespace sluice
