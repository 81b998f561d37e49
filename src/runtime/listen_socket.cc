#include "runtime/listen_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace sluice {
namespace {

constexpr int backlog = 4096;  // connections not yet accepted; the system may cap it

tl::unexpected<Error> refused(const std::string& address, std::string_view reason) {
  return tl::unexpected(
      Error{Error::Action::refuse, {}, "cannot listen on " + address + ": " + std::string(reason)});
}

// Splits at the last colon and takes the brackets off an IPv6 address.
std::optional<std::pair<std::string, std::string>> split(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size()) return std::nullopt;
  std::string host = address.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return std::pair(host, address.substr(colon + 1));
}

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};

int open_socket(const addrinfo& where) {
  const int fd =
      socket(where.ai_family, where.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, where.ai_protocol);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, where.ai_addr, where.ai_addrlen) == 0 && listen(fd, backlog) == 0) return fd;
  const int reason = errno;
  close(fd);
  errno = reason;
  return -1;
}

std::pair<std::string, std::string> bound_to(int listen_fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getsockname(listen_fd, reinterpret_cast<sockaddr*>(&bound), &size);
  getnameinfo(reinterpret_cast<sockaddr*>(&bound), size, host.data(), host.size(), port.data(),
              port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  return {host.data(), port.data()};
}

}  // namespace

Result<int> listen_on(const std::string& address, std::string_view flag) {
  const auto parts = split(address);
  if (!parts) return refused(address, "not HOST:PORT");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(parts->first.c_str(), parts->second.c_str(), &hints, &found);
  if (failed != 0) return refused(address, gai_strerror(failed));
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(found);
  const int fd = open_socket(*addresses);
  if (fd < 0 && errno == EADDRINUSE) {
    return refused(address, fmt::format("in use already; {} takes another", flag));
  }
  if (fd < 0) return refused(address, std::strerror(errno));
  return fd;
}

Result<void> try_to_listen_on(const std::string& address, std::string_view flag) {
  return listen_on(address, flag).map([](int fd) { close(fd); });
}

std::string bound_address(int listen_fd) {
  const auto [host, port] = bound_to(listen_fd);
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

int bound_port(int listen_fd) {
  return std::stoi(bound_to(listen_fd).second);
}

bool is_loopback(const std::string& address) {
  const auto parts = split(address);
  if (!parts) return false;
  in_addr ipv4{};
  return parts->first == "localhost" || parts->first == "::1" ||
         (inet_pton(AF_INET, parts->first.c_str(), &ipv4) == 1 && parts->first.starts_with("127."));
}

std::string address_party(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &ipv4.sin_addr, text.data(), text.size());
    return text.data();
  }
  if (address.sa_family != AF_INET6) return "local";
  in6_addr network = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&network)) {
    inet_ntop(AF_INET, &network.s6_addr[12], text.data(), text.size());
    return text.data();
  }
  std::fill(std::begin(network.s6_addr) + 8, std::end(network.s6_addr), uint8_t{0});
  inet_ntop(AF_INET6, &network, text.data(), text.size());
  return std::string(text.data()) + "/64";
}

}  // namespace sluice
