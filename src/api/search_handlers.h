// The handlers with which people look for tasks: the search, dead letters in groups: see
// docs/http.md. Of Route::sql $1 is the query's conditions, $2 the key's tenant. For a key, another
// tenant's task does not exist.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> search_tasks(Services& services, ApiRequest request);
Co<HttpReply> list_dead_letter_groups(Services& services, ApiRequest request);

}  // namespace sluice
