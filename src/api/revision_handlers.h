// The handlers of /v1/audit and /v1/revisions: who did what, and taking changes of the
// configuration back: see docs/http.md.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> list_audit(Services& services, ApiRequest request);
Co<HttpReply> list_revisions(Services& services, ApiRequest request);
Co<HttpReply> revert_revision(Services& services, ApiRequest request);

}  // namespace sluice
