// The handlers with which people look into tasks: the search, a task's timeline and texts, dead
// letters in groups: see docs/http.md. For a key, another tenant's task does not exist.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> search_tasks(Services& services, ApiRequest request);
Co<HttpReply> show_timeline(Services& services, ApiRequest request);
Co<HttpReply> read_texts(Services& services, ApiRequest request);
Co<HttpReply> list_dead_letter_groups(Services& services, ApiRequest request);

}  // namespace sluice
