#include "runtime/plain_transfer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace sluice {
namespace {

using Kind = HttpFailure::Kind;

// Of a body in one turn of the loop, for a backend may take it as fast as it comes: 1 MiB, or 16
// pieces of a text that is escaped on its way. A millisecond.
constexpr size_t write_bytes_max = size_t{64} * 1024;
constexpr int writes_at_once_max = 16;

bool has_body(const HttpRequest& request) {
  return request.method != "GET";
}

// Line by line what curl sends.
std::string head_of(const HttpRequest& request, const HttpTarget& target) {
  constexpr std::string_view user_agent = "User-Agent: sluice/" SLUICE_VERSION "\r\n";
  constexpr std::string_view content_length = "Content-Length: ";
  constexpr std::string_view line_end = "\r\n";
  constexpr size_t number_bytes = 20;
  size_t bytes = request.method.size() + target.plain_head.size() + user_agent.size() +
                 content_length.size() + number_bytes + 2 * line_end.size();
  for (const std::string& line : request.headers) bytes += line.size() + line_end.size();
  std::string head;
  head.reserve(bytes);
  head.append(request.method).append(target.plain_head);
  for (const std::string& line : request.headers) head.append(line).append(line_end);
  head.append(user_agent);
  if (has_body(request)) {
    std::array<char, number_bytes> number{};
    const auto end = std::to_chars(number.begin(), number.end(), request.body.size()).ptr;
    head.append(content_length).append(number.data(), end).append(line_end);
  }
  return head.append(line_end);
}

std::string message_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

PlainTransfer::PlainTransfer(HttpCommon& common, HttpRequest& request, const HttpTarget& target,
                             AbortToken* abort, std::span<char> buffer)
    : common_(common),
      request_(request),
      abort_(abort),
      buffer_(buffer),
      head_(head_of(request, target)),
      head_bytes_(head_.size()),
      body_bytes_(has_body(request) ? request.body.size() : 0),
      parser_(*this),
      body_(common.memory, common.clock, request, target) {}

PlainTransfer::~PlainTransfer() {
  if (abort_ != nullptr) abort_->on_abort(nullptr);
}

void PlainTransfer::start(std::unique_ptr<PlainConnection> connection) {
  result_.reset();
  is_unsent_ = false;
  if (abort_ != nullptr) {
    abort_->on_abort([this] { fail(Kind::aborted, "aborted by its caller"); });
  }
  connection_ = std::move(connection);
  connection_->hold(this);
  write();
}

void PlainTransfer::time_out() {
  fail(sent_bytes_ == 0 ? Kind::not_sent : Kind::timed_out, "no whole answer in time");
}

void PlainTransfer::on_ready(PlainConnection&, bool readable, bool writable) {
  if (!result_ && writable && wants_to_write()) write();
  if (!result_ && readable && !is_paused_) read();
}

// When the other side takes no more of it, it may still have answered.
void PlainTransfer::write() {
  for (int i = 0; i < writes_at_once_max && !is_written(); ++i) {
    const ssize_t taken = write_some();
    if (taken >= 0) {
      sent_bytes_ += static_cast<size_t>(taken);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      if (sent_bytes_ == 0) return fail_connection(message_of(errno));
      write_error_ = errno;
      break;
    }
  }
  if (is_written()) {
    std::string().swap(head_);
    request_.body.give_back();
  }
  watch();
}

ssize_t PlainTransfer::write_some() {
  std::string_view head = head_;
  head.remove_prefix(std::min(sent_bytes_, head_bytes_));
  const std::string_view body =
      body_bytes_ > 0 ? request_.body.rest().substr(0, write_bytes_max) : std::string_view();
  const std::array<iovec, 2> parts{iovec{const_cast<char*>(head.data()), head.size()},
                                   iovec{const_cast<char*>(body.data()), body.size()}};
  const ssize_t taken = connection_->write(parts);
  if (taken > 0) {
    request_.body.skip(std::max(static_cast<size_t>(taken), head.size()) - head.size());
  }
  return taken;
}

// Said after each step: after an error nobody is told of what came before it, or of itself, else.
void PlainTransfer::watch() {
  connection_->want(!is_paused_, wants_to_write());
}

void PlainTransfer::read() {
  const ssize_t got = connection_->read(buffer_);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return watch();
  if (got < 0) return fail_connection(message_of(errno));
  // Its reset, which the system tells once, ended the writing: this is no end of an answer.
  if (got == 0 && write_error_ != 0) return fail_connection(message_of(write_error_));
  if (sent_bytes_ == 0) return fail_connection("the connection was closed before it was used");
  const std::string_view bytes(buffer_.data(), static_cast<size_t>(got));
  go_on(got == 0 ? parser_.take_end() : parser_.take(bytes));
}

void PlainTransfer::go_on(HttpAnswerParser::State state) {
  using State = HttpAnswerParser::State;
  if (result_) return;
  if (is_too_large_) return fail(Kind::too_large, "the answer's body is too large");
  if (state == State::too_large && parser_.status() < 200) {
    return fail(Kind::unanswered, "the backend sends too much that is no answer");
  }
  if (state == State::too_large) return fail(Kind::too_large, "the answer's headers are too large");
  if (state == State::broken) return fail(Kind::unanswered, parser_.problem());
  if (is_padded(parser_.padding_bytes(), parser_.body_bytes())) {
    return fail(Kind::unanswered, "the answer is padded beyond all measure");
  }
  if (!is_paused_ && state == State::whole) return finish();
  watch();
}

bool PlainTransfer::on_body(std::string_view bytes) {
  if (!body_.has_begun()) {
    body_.begin(parser_.status(), parser_.headers(), [this] { resume(); });
  }
  if (!is_paused_) return take_body(bytes);
  pending_.append(bytes);
  return true;
}

// False: it is not wanted any more.
bool PlainTransfer::take_body(std::string_view bytes) {
  if (result_) return false;
  const AnswerBody::Taken taken = body_.take(bytes);
  is_too_large_ = taken == AnswerBody::Taken::too_large;
  is_paused_ = taken == AnswerBody::Taken::no_room;
  if (is_paused_) pending_.append(bytes);
  return !is_too_large_ && !result_;
}

// There may be room.
void PlainTransfer::resume() {
  if (result_ || !is_paused_) return;
  const std::string pending = std::exchange(pending_, {});
  take_body(pending);
  go_on(parser_.state());
}

void PlainTransfer::fail_connection(std::string why) {
  is_unsent_ = sent_bytes_ == 0;
  fail(is_unsent_ ? Kind::not_sent : Kind::unanswered, std::move(why));
}

void PlainTransfer::fail(Kind kind, std::string why) {
  if (result_) return;
  connection_.reset();
  end(http_failure(kind, std::move(why)));
}

void PlainTransfer::finish() {
  if (is_written() && parser_.may_reuse()) {
    connection_->hold(nullptr);
  } else {
    connection_.reset();
  }
  end(body_.finish(parser_.status(), std::move(parser_.headers())));
}

void PlainTransfer::end(HttpResult result) {
  body_.drop();  // of one that failed
  result_ = std::move(result);
  ended_.raise();
}

}  // namespace sluice
