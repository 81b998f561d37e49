// PlainTransfer is one request of PlainHttpClient on one connection: it writes, reads and enforces
// the limits. It knows whether a byte of the request has been written. For src/runtime only.
//
// Thread rule: loop thread only. Lives in the frame of send(); what it is given outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/answer_body.h"
#include "runtime/http_answer_parser.h"
#include "runtime/http_common.h"
#include "runtime/plain_connection.h"
#include "runtime/signal.h"

namespace sluice {

class PlainTransfer final : private PlainConnection::User, private HttpAnswerParser::Reader {
 public:
  // The request and the target outlive it. `buffer`: what all transfers read into, one after
  // another. `abort` may be null.
  PlainTransfer(HttpCommon& common, HttpRequest& request, const HttpTarget& target,
                AbortToken* abort, std::span<char> buffer);
  ~PlainTransfer() override;
  PlainTransfer(const PlainTransfer&) = delete;
  PlainTransfer& operator=(const PlainTransfer&) = delete;

  // Again only when is_unsent().
  void start(std::unique_ptr<PlainConnection> connection);
  // False: not by then; call time_out().
  Signal::Wait ended(int64_t by_ns) { return ended_.wait_until(common_.clock, by_ns); }
  void time_out();

  // It has ended because its connection was dead before it took a byte.
  bool is_unsent() const { return is_unsent_; }
  HttpResult take_result() { return std::move(*result_); }
  // Null when it cannot carry another request.
  std::unique_ptr<PlainConnection> take_connection() { return std::move(connection_); }

 private:
  void on_ready(PlainConnection& connection, bool readable, bool writable) override;
  bool on_body(std::string_view bytes) override;
  void write();
  ssize_t write_some();
  void read();
  void watch();
  void go_on(HttpAnswerParser::State state);
  bool take_body(std::string_view bytes);
  void resume();
  void fail_connection(std::string why);
  void fail(HttpFailure::Kind kind, std::string why);
  void finish();
  void end(HttpResult result);
  bool is_written() const { return sent_bytes_ == head_bytes_ + body_bytes_; }
  bool wants_to_write() const { return !is_written() && write_error_ == 0; }

  HttpCommon& common_;
  HttpRequest& request_;
  AbortToken* abort_;
  std::span<char> buffer_;
  std::string head_;
  size_t head_bytes_;
  size_t body_bytes_;
  size_t sent_bytes_ = 0;
  int write_error_ = 0;  // errno: the other side takes no more, but may have answered
  std::unique_ptr<PlainConnection> connection_;
  HttpAnswerParser parser_;
  AnswerBody body_;
  std::string pending_;  // at most one buffer of body: it waits for memory
  bool is_paused_ = false;
  bool is_too_large_ = false;
  bool is_unsent_ = false;
  std::optional<HttpResult> result_;  // set: it has ended
  Signal ended_;
};

}  // namespace sluice
