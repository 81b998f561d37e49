// TlsReads bounds how long curl reads from TLS connections in one step. curl 7.88 reads on inside
// one call for as long as frames of HTTP/2 come that are no body (empty DATA, WINDOW_UPDATE), and
// a backend that sends them without end would hold the loop (D-395). When the time of a step is
// over, each connection has nothing more to read, as if it had been read empty: the step ends, and
// the loop, which sees that there is more, comes back to it after everybody else's turn.
//
// A connection that comes with many messages of TLS itself after its handshake fails (D-404).
//
// Thread rule: loop thread only. It outlives the connections that it bounds.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>

#include "runtime/clock.h"
#include "runtime/turn_share.h"

namespace sluice {

class TlsReads final {
 public:
  // From the first look at the clock on: as long as other bursts of work.
  static constexpr int64_t step_ns = TurnShare::share_ns;

  // The clock is looked at once in so many reads, which are system calls and two a record: they
  // take less than 1 ms, and most steps never look.
  static constexpr int64_t reads_between_looks = 64;

  // How many messages of TLS itself may come on a connection after its handshake: session tickets
  // (servers send two or so), new keys (one in 2^24 records), wishes to begin anew. OpenSSL handles
  // all 800 that a record may have, at 20 us each, before it returns, whatever the clock says.
  static constexpr int late_messages_max = 100;

  explicit TlsReads(Clock& clock) : clock_(clock) {}
  TlsReads(const TlsReads&) = delete;
  TlsReads& operator=(const TlsReads&) = delete;

  // Connections made from it are bounded.
  void bound(SSL_CTX* context);
  // Before each step of curl.
  void begin_step();
  // Asked before each read.
  bool may_read();

 private:
  Clock& clock_;
  int64_t reads_ = 0;  // in this step
  int64_t until_ns_ = 0;
  bool is_over_ = false;
};

}  // namespace sluice
