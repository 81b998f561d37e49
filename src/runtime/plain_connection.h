// PlainConnection is one TCP connection of PlainHttpClient: a socket with its place in the loop,
// and its present user (a dial, a transfer or the client's pool of idle ones). It knows nothing of
// HTTP. For src/runtime only.
//
// Thread rule: loop thread only. The loop and the share outlive it; it may be destroyed from within
// its user's on_ready().
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "file_descriptor.h"
#include "result.h"
#include "runtime/fd_watch.h"
#include "runtime/http_targets.h"
#include "runtime/loop.h"
#include "runtime/turn_share.h"

namespace sluice {

class PlainConnection final {
 public:
  class User {
   public:
    virtual ~User() = default;
    // Told as long as the state lasts, within the share of its turn; of an error once, until the
    // next want().
    virtual void on_ready(PlainConnection& connection, bool readable, bool writable) = 0;
  };

  // Begins to connect to a numeric address of the target, without brackets; when it is writable,
  // problem() says whether it stands. Errors: retry_later.
  static Result<std::unique_ptr<PlainConnection>> open(Loop& loop, TurnShare& share,
                                                       const HttpTarget& target,
                                                       const std::string& address);
  PlainConnection(const PlainConnection&) = delete;
  PlainConnection& operator=(const PlainConnection&) = delete;

  // Null: nobody is told. A user leaves before it goes.
  void hold(User* user) { user_ = user; }
  void want(bool read, bool write) { watch_.want(read, write); }

  // Of the socket: 0, or an errno.
  int problem() const;
  // Whether the other side has closed it, or sent what nobody asked for.
  bool is_spoiled() const;

  // Bytes taken or read; below 0: as errno says. 0 bytes read: the other side will send no more.
  ssize_t write(std::span<const iovec> parts) const;
  ssize_t read(std::span<char> buffer) const;

  int64_t idle_since_ns = 0;

 private:
  PlainConnection(Loop& loop, TurnShare& share, std::string origin, FileDescriptor socket);
  void on_event(bool readable, bool writable);
  void tell(bool readable, bool writable);

  TurnShare& share_;
  const std::string origin_;  // that it has its share with
  User* user_ = nullptr;
  FileDescriptor socket_;
  FdWatch watch_;  // goes before the socket
  struct Events {
    bool readable;
    bool writable;
  };
  std::optional<Events> waiting_;  // for their share
  // Tells what waits for its share whether we are still there.
  std::shared_ptr<PlainConnection*> self_ = std::make_shared<PlainConnection*>(this);
};

}  // namespace sluice
