// Handlers of the history.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> show_history(Services& services, ApiRequest request);

}  // namespace sluice
