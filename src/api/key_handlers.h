// The handlers of /v1/keys: see docs/http.md. A key is shown once, in the answer that makes it;
// what is stored, listed and logged is its hash and its id.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> create_key(Services& services, ApiRequest request);
Co<HttpReply> list_keys(Services& services, ApiRequest request);
Co<HttpReply> revoke_key(Services& services, ApiRequest request);

}  // namespace sluice
