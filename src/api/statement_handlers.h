// The handlers of routes that say all else in their statement (Route::sql). A statement sees one
// value; 404 when it is null, or there is no row. It is sent in the name of the request's key.
#pragma once

#include "api/routes.h"

namespace sluice {

// $1, if the path has a name: this name.
Co<HttpReply> answer_statement(Services& services, ApiRequest request);

// All rows that `sql`, a call of a function, returns, in its order.
Co<HttpReply> answer_rows(Services& services, ApiRequest request);

// As answer_statement, of what may be some seconds old, and of what may not. 403 to a key of one
// tenant.
Co<HttpReply> answer_for_all_tenants(Services& services, ApiRequest request);
Co<HttpReply> answer_for_all_tenants_now(Services& services, ApiRequest request);

// $1, if the path has a name: this name; the last one: the body, a JSON object. answer_new: 201.
Co<HttpReply> answer_body(Services& services, ApiRequest request);
Co<HttpReply> answer_new(Services& services, ApiRequest request);

// $1: the name; $2: the argument reason; $3: the body, whose keys are names, so that it has no
// place for the reason of the change.
Co<HttpReply> answer_names(Services& services, ApiRequest request);

// `sql`: a table, and where which column is the name; these rows are deleted. Of models one that
// has unfinished tasks stays (409 says how many), and it waits for locks, some seconds in all.
Co<HttpReply> answer_deletion(Services& services, ApiRequest request);
Co<HttpReply> answer_model_deletion(Services& services, ApiRequest request);

// A budget's row, and the models at which tasks that it counts fail; PUT replaces it.
Co<HttpReply> write_budget(Services& services, ApiRequest request);

}  // namespace sluice
