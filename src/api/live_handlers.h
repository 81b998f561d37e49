// The handler of /v1/live: see docs/http.md.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> stream_live(Services& services, ApiRequest request);

}  // namespace sluice
