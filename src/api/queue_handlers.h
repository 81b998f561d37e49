// The handlers that show queues, models' limits and workers: see docs/http.md. These concern all
// tenants, so a key of one tenant sees none of them.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> list_queues(Services& services, ApiRequest request);
Co<HttpReply> show_queue(Services& services, ApiRequest request);
Co<HttpReply> list_workers(Services& services, ApiRequest request);
Co<HttpReply> show_overview(Services& services, ApiRequest request);
Co<HttpReply> show_model_limits(Services& services, ApiRequest request);

}  // namespace sluice
