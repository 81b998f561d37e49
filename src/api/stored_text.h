// An answer made of a stored text's parts, one after the other, each read when the client has taken
// the one before.
#pragma once

#include <string>

#include "api/routes.h"

namespace sluice {

// `sql`: part $3 (from 0) of object $1 for tenant $2, null after the last. `id`: a number.
HttpReply send_parts(Services& services, std::string sql, int64_t id, Requester requester,
                     const Caller& caller);

}  // namespace sluice
