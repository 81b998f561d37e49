// TlsReads bounds how long curl reads from TLS connections in one step. curl 7.88 reads on inside
// one call for as long as frames of HTTP/2 come that are no body (empty DATA, WINDOW_UPDATE), and
// a backend that sends them without end would hold the loop (D-395). When the time of a step is
// over, each connection has nothing more to read, as if it had been read empty: the step ends, and
// the loop, which sees that there is more, comes back to it after everybody else's turn.
//
// A connection fails that comes with many messages of TLS itself after its handshake (D-404), or
// with much that is no body: such frames, or bodies in pieces of a few bytes (D-415). One that
// brings no answers for as long as a request waits may be dumb (D-439).
//
// Thread rule: loop thread only. It outlives the connections that it bounds.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>

#include "runtime/clock.h"
#include "runtime/turn_share.h"

namespace sluice {

class TlsReads;

// What has come on one connection, against what its requests and their answers explain.
class TlsTraffic final {
 public:
  // How many messages of TLS itself may come on a connection after its handshake: session tickets
  // (servers send two or so), new keys (one in 2^24 records), wishes to begin anew. OpenSSL handles
  // all 800 that a record may have, at 20 us each, before it returns, whatever the clock says.
  static constexpr int late_messages_max = 100;

  // Bytes that may come on it beside the bodies: a handshake with its certificates (20 KiB), the
  // settings of HTTP/2, and what curl has read and not passed on yet (32 KiB).
  static constexpr int64_t bytes_beside_max = int64_t{64} << 10;
  // And for each request under way: the head of its answer (usual ones have 2 KiB), and what curl
  // has read of it and not passed on yet (32 KiB). With the above that is an answer of 5,000 pieces
  // of a byte: 20 ms of work.
  static constexpr int64_t bytes_beside_per_request = int64_t{48} << 10;
  // And of a request's body: windows of HTTP/2 that its backend opens anew, 48 bytes after each 500
  // or more.
  static constexpr int64_t request_bytes_per_byte_beside = 8;
  // What a byte of a body explains: itself, and two around it. A record of TLS has 22 bytes around
  // it (57 with old ciphers), a frame of HTTP/2 nine, a chunk five: pieces of 16 bytes (33) and
  // more may go on for ever. Models send one token in a hundred.
  static constexpr int64_t bytes_per_body_byte = 3;
  // On HTTP/2, of answers that are not wanted any more: what was on its way (buffers of 4 MiB at
  // both ends).
  static constexpr int64_t bytes_unwanted_max = int64_t{8} << 20;

  // A connection that has been silent for less is not given up for a request's short time-out: for
  // each the next ones would need a connection of their own.
  static constexpr int64_t silent_ns = ns_per_s;

  explicit TlsTraffic(TlsReads& reads);
  TlsTraffic(const TlsTraffic&) = delete;
  TlsTraffic& operator=(const TlsTraffic&) = delete;

  // Of a connection whose context is bounded; null before its handshake.
  static std::shared_ptr<TlsTraffic> of(const SSL* connection);

  // One request under way.
  class Request final {
   public:
    Request(std::shared_ptr<TlsTraffic> traffic, int64_t body_bytes);
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    // Of its answer, as it is passed on.
    void take_head();
    void take_body(int64_t bytes);
    // Whether nothing of any answer has come on the connection since this one began, and for
    // silent_ns. What else may come, windows of HTTP/2 say, does not tell that requests arrive.
    bool hears_nothing() const;
    // Its answer is whole: nothing more comes of it.
    void finish() { is_whole_ = true; }
    // Whether the connection has failed by a bound of ours.
    bool is_beyond_bounds() const { return traffic_->has_failed_; }

   private:
    std::shared_ptr<TlsTraffic> traffic_;
    int64_t begun_ns_;
    int64_t bytes_beside_;
    bool is_whole_ = false;
  };

  // Asked before each read.
  bool has_failed() const { return has_failed_; }
  bool may_read();
  // False: it is too much.
  bool take(int64_t bytes);
  void take_late_message();

 private:
  TlsReads& reads_;
  int64_t heard_ns_;  // when something of an answer came last
  int64_t most_bytes_beside_ = bytes_beside_max;
  int64_t bytes_left_ = bytes_beside_max;
  bool has_unwanted_ = false;
  int late_messages_ = 0;
  bool has_failed_ = false;
};

class TlsReads final {
 public:
  // From the first look at the clock on: as long as other bursts of work.
  static constexpr int64_t step_ns = TurnShare::share_ns;

  // The clock is looked at once in so many reads, which are system calls and two a record: they
  // take less than 1 ms, and most steps never look.
  static constexpr int64_t reads_between_looks = 64;

  explicit TlsReads(Clock& clock) : clock_(clock) {}
  TlsReads(const TlsReads&) = delete;
  TlsReads& operator=(const TlsReads&) = delete;

  // Connections made from it are bounded.
  void bound(SSL_CTX* context);
  // Before each step of curl.
  void begin_step();
  // Asked before each read.
  bool may_read();
  int64_t now_ns() const { return clock_.now_ns(); }

 private:
  Clock& clock_;
  int64_t reads_ = 0;  // in this step
  int64_t until_ns_ = 0;
  bool is_over_ = false;
};

}  // namespace sluice
