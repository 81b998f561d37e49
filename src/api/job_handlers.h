// Handlers for jobs, bulk actions that the server makes by itself: see docs/http.md.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> start_job(Services& services, ApiRequest request);
Co<HttpReply> list_jobs(Services& services, ApiRequest request);
Co<HttpReply> show_job(Services& services, ApiRequest request);
Co<HttpReply> cancel_job(Services& services, ApiRequest request);
Co<HttpReply> undo_job(Services& services, ApiRequest request);

}  // namespace sluice
