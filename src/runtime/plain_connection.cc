#include "runtime/plain_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "runtime/http_common.h"

namespace sluice {
namespace {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t bytes = 0;  // 0: none
};

SocketAddress socket_address(const std::string& address, const std::string& port) {
  uint16_t number = 0;
  std::from_chars(port.data(), port.data() + port.size(), number);
  SocketAddress made;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(number);
    std::memcpy(&made.storage, &v4, made.bytes = sizeof v4);
  } else if (inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(number);
    std::memcpy(&made.storage, &v6, made.bytes = sizeof v6);
  }
  return made;
}

tl::unexpected<Error> unconnected(std::string reason) {
  return tl::unexpected(Error{Error::Action::retry_later, {}, std::move(reason)});
}

tl::unexpected<Error> unconnected(int error) {
  return unconnected(std::generic_category().message(error));
}

void set_options(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &tcp_keepalive_idle_s, sizeof tcp_keepalive_idle_s);
}

}  // namespace

Result<std::unique_ptr<PlainConnection>> PlainConnection::open(Loop& loop, TurnShare& share,
                                                               const HttpTarget& target,
                                                               const std::string& address) {
  const SocketAddress to = socket_address(address, target.port);
  if (to.bytes == 0) return unconnected("no address that can be connected to");
  FileDescriptor socket(
      ::socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (socket.get() < 0) return unconnected(errno);
  set_options(socket.get());
  const auto* where = reinterpret_cast<const sockaddr*>(&to.storage);
  if (connect(socket.get(), where, to.bytes) != 0 && errno != EINPROGRESS) {
    return unconnected(errno);
  }
  try {
    std::unique_ptr<PlainConnection> made(
        new PlainConnection(loop, share, target.origin, std::move(socket)));
    made->want(false, true);
    return made;
  } catch (const std::system_error&) {
    return unconnected(cannot_watch_text);
  }
}

PlainConnection::PlainConnection(Loop& loop, TurnShare& share, std::string origin,
                                 FileDescriptor socket)
    : share_(share),
      origin_(std::move(origin)),
      socket_(std::move(socket)),
      watch_(loop, socket_.get(),
             [this](bool readable, bool writable) { on_event(readable, writable); }) {}

int PlainConnection::problem() const {
  int error = 0;
  socklen_t bytes = sizeof error;
  if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) return errno;
  return error;
}

bool PlainConnection::is_spoiled() const {
  char byte = 0;
  const ssize_t got = recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EINTR);
}

ssize_t PlainConnection::write(std::span<const iovec> parts) const {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  return sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
}

ssize_t PlainConnection::read(std::span<char> buffer) const {
  return recv(socket_.get(), buffer.data(), buffer.size(), 0);
}

// It may be told again before its turn has come.
void PlainConnection::on_event(bool readable, bool writable) {
  if (!waiting_ && share_.has_room()) return tell(readable, writable);
  if (std::exchange(waiting_, Events{readable, writable})) return;
  share_.run(origin_, [self = std::weak_ptr<PlainConnection*>(self_)] {
    const auto connection = self.lock();
    if (!connection) return;
    PlainConnection& ours = **connection;
    const Events events = *std::exchange(ours.waiting_, std::nullopt);
    ours.tell(events.readable, events.writable);
  });
}

void PlainConnection::tell(bool readable, bool writable) {
  if (user_ != nullptr) user_->on_ready(*this, readable, writable);
}

}  // namespace sluice
