// An answer made of the parts of a stored text, one after the other; each part is read when the
// client has taken the one before.
#pragma once

#include <string>

#include "api/routes.h"

namespace sluice {

// `sql`: part $3 (from 0) of object $1 for tenant $2, null after the last. `id`: a number.
HttpReply send_parts(Services& services, std::string sql, int64_t id, Requester requester,
                     const Caller& caller);

}  // namespace sluice
