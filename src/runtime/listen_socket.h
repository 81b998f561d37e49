// Opens a TCP socket that listens on HOST:PORT. It owns nothing afterwards: who asked owns the
// descriptor.
#pragma once

#include <string>

#include "result.h"

namespace sluice {

// Non-blocking, close-on-exec. HOST is a name or an address ([..] around IPv6); port 0 means a free
// one.
Result<int> listen_on(const std::string& address);

// HOST:PORT that `listen_fd` is really bound to.
std::string bound_address(int listen_fd);
int bound_port(int listen_fd);

}  // namespace sluice
