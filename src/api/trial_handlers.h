// The handlers of changes that are tried: ramps and shadows; see docs/http.md.
#pragma once

#include "api/routes.h"

namespace sluice {

// Route::sql: the function that gives the state.
Co<HttpReply> act_on_ramp(Services& services, ApiRequest request);
Co<HttpReply> act_on_shadow(Services& services, ApiRequest request);
Co<HttpReply> show_shadow(Services& services, ApiRequest request);

}  // namespace sluice
