// Answers of the HTTP server's own, which no handler gives.
#pragma once

#include <string_view>

#include "runtime/http_server.h"

namespace sluice {

// `type` and `message` are texts of ours, which need no escapes.
HttpReply refusal(int status, std::string_view type, std::string_view message);
HttpReply too_large_reply();
// 503: there are too many of `what`.
HttpReply busy_reply(std::string_view what);
// Instead of an answer for which there is no room. Of one that may have changed something, what it
// was about (Location, in `headers`) is kept, and the clients' libraries are not to repeat it.
HttpReply unsent_reply(bool only_reads, HttpFields headers);

}  // namespace sluice
