// The handlers of changes that are tried: ramps and shadows; see docs/http.md.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> list_ramps(Services& services, ApiRequest request);
Co<HttpReply> start_ramp(Services& services, ApiRequest request);
Co<HttpReply> pause_ramp(Services& services, ApiRequest request);
Co<HttpReply> resume_ramp(Services& services, ApiRequest request);
Co<HttpReply> stop_ramp(Services& services, ApiRequest request);
Co<HttpReply> list_shadows(Services& services, ApiRequest request);
Co<HttpReply> start_shadow(Services& services, ApiRequest request);
Co<HttpReply> show_shadow(Services& services, ApiRequest request);
Co<HttpReply> apply_shadow(Services& services, ApiRequest request);
Co<HttpReply> drop_shadow(Services& services, ApiRequest request);

}  // namespace sluice
