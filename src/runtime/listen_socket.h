// Opens a TCP socket that listens on HOST:PORT, and tells what kind of address one is. It owns
// nothing afterwards: the descriptor is the caller's.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "result.h"

namespace sluice {

// Non-blocking, close-on-exec. HOST is a name or an address ([..] around IPv6); port 0 means a free
// one. `flag`: what the user says another address with, for the error's message.
Result<int> listen_on(const std::string& address, std::string_view flag);

// Whether that would succeed now; nobody listens afterwards.
Result<void> try_to_listen_on(const std::string& address, std::string_view flag);

// HOST:PORT that `listen_fd` is really bound to.
std::string bound_address(int listen_fd);
int bound_port(int listen_fd);

// Whether HOST:PORT, an address or localhost, is this machine's alone.
bool is_loopback(const std::string& address);

// The party behind a client's address: of IPv6 the network of 64 bits, which is the least that one
// customer gets; IPv4 within IPv6 is IPv4.
std::string address_party(const sockaddr& address);

}  // namespace sluice
