// A TCP server below HTTP, for what a decent server does not do: it collects what each connection
// sends and lets the test decide, after each part, what to write back and whether to close. Owns
// its sockets; speaks no protocol.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runtime/fd_watch.h"
#include "runtime/listen_socket.h"
#include "runtime/loop.h"

namespace sluice {

class RawServer final {
 public:
  struct Answer {
    std::string bytes;
    bool close = false;
    bool reset = false;  // closes with RST instead of FIN
  };
  // Given all that a connection has sent since the last answer; nullopt: wait for more.
  using OnData = std::function<std::optional<Answer>(const std::string& received)>;

  RawServer(Loop& loop, OnData on_data)
      : loop_(loop),
        on_data_(std::move(on_data)),
        listen_fd_(listen_on("127.0.0.1:0", "--listen").value()) {
    watch_.emplace(loop, listen_fd_, [this](bool, bool) { accept_one(); });
    watch_->want(true, false);
  }
  ~RawServer() {
    watch_.reset();
    while (!connections_.empty()) drop(connections_.begin()->first);
    close(listen_fd_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::string url() const { return "http://" + bound_address(listen_fd_) + "/"; }
  int accepted() const { return accepted_; }
  int open() const { return static_cast<int>(connections_.size()); }

 private:
  struct Connection {
    FdWatch watch;
    std::string received;
  };

  void accept_one() {
    const int fd = accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    ++accepted_;
    auto& connection =
        connections_
            .emplace(fd,
                     Connection{FdWatch(loop_, fd, [this, fd](bool, bool) { read_some(fd); }), {}})
            .first->second;
    connection.watch.want(true, false);
  }

  void read_some(int fd) {
    std::array<char, 65536> buffer{};
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got <= 0) return drop(fd);
    std::string& received = connections_.at(fd).received;
    received.append(buffer.data(), static_cast<size_t>(got));
    const auto answer = on_data_(received);
    if (!answer) return;
    received.clear();
    [[maybe_unused]] const ssize_t sent = write(fd, answer->bytes.data(), answer->bytes.size());
    const linger at_once{1, 0};
    if (answer->reset) setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (answer->close || answer->reset) drop(fd);
  }

  void drop(int fd) {
    connections_.erase(fd);
    close(fd);
  }

  Loop& loop_;
  OnData on_data_;
  int listen_fd_;
  int accepted_ = 0;
  std::optional<FdWatch> watch_;
  std::map<int, Connection> connections_;
};

}  // namespace sluice
