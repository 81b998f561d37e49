// Handlers for jobs, bulk actions that the server makes by itself: see docs/http.md.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> start_job(Services& services, ApiRequest request);
Co<HttpReply> list_jobs(Services& services, ApiRequest request);

// Route::sql about the job that the path names: $1 its number, $2 the key's tenant.
Co<HttpReply> answer_about_job(Services& services, ApiRequest request);

}  // namespace sluice
