// The handlers of /v1/tasks and /v1/dead-letters: see docs/http.md. They hold no state. For a key,
// another tenant's task does not exist.
#pragma once

#include "api/routes.h"

namespace sluice {

// 404, the same for a task that does not exist and for another tenant's. `id` as the path has it.
HttpReply no_such_task(std::string_view id);

// The one value of Route::sql about the task that the path names, in the name of the request's key:
// $1 the task's number, $2 the key's tenant. Without a value there is no such task. redrive_task:
// 202.
Co<HttpReply> answer_about_task(Services& services, ApiRequest request);
Co<HttpReply> redrive_task(Services& services, ApiRequest request);

Co<HttpReply> submit_tasks(Services& services, ApiRequest request);
Co<HttpReply> list_tasks(Services& services, ApiRequest request);
Co<HttpReply> show_task(Services& services, ApiRequest request);
Co<HttpReply> stream_task(Services& services, ApiRequest request);
Co<HttpReply> list_dead_letters(Services& services, ApiRequest request);

}  // namespace sluice
