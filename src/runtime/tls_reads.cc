#include "runtime/tls_reads.h"

#include <openssl/bio.h>

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

int place_in_context() {
  static const int place = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return place;
}

using Kept = std::shared_ptr<TlsTraffic>;

void drop(void*, void* kept, CRYPTO_EX_DATA*, int, long, void*) {
  const std::unique_ptr<Kept> owner(static_cast<Kept*>(kept));
}

int place_in_connection() {
  static const int place = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, &drop);
  return place;
}

// "Try again later" is what a socket says that has been read empty; without that wish the
// connection fails.
long around_bio(BIO* bio, int operation, const char*, size_t, int, long, int result,
                size_t* bytes) {
  if (operation != BIO_CB_READ && operation != (BIO_CB_READ | BIO_CB_RETURN)) return result;
  auto& traffic = *reinterpret_cast<TlsTraffic*>(BIO_get_callback_arg(bio));
  if (traffic.has_failed()) return -1;
  if (operation == BIO_CB_READ) {
    if (traffic.may_read()) return result;
    BIO_set_retry_read(bio);
    return -1;
  }
  return result <= 0 || traffic.take(static_cast<int64_t>(*bytes)) ? result : -1;
}

// Counts messages that come after the handshake.
void on_message(int is_sent, int, int content, const void* message, size_t bytes, SSL* connection,
                void*) {
  if (is_sent != 0 || content != SSL3_RT_HANDSHAKE || bytes == 0) return;
  switch (*static_cast<const unsigned char*>(message)) {
    case SSL3_MT_HELLO_REQUEST:
    case SSL3_MT_NEWSESSION_TICKET:
    case SSL3_MT_KEY_UPDATE:
      return TlsTraffic::of(connection)->take_late_message();
    default:
      return;
  }
}

// curl lets us see the context only; the connection has its BIO when the handshake begins.
void on_handshake(const SSL* connection, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0 || TlsTraffic::of(connection) != nullptr) return;
  void* reads = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), place_in_context());
  auto kept = std::make_unique<Kept>(std::make_shared<TlsTraffic>(*static_cast<TlsReads*>(reads)));
  BIO* bio = SSL_get_rbio(connection);
  BIO_set_callback_arg(bio, reinterpret_cast<char*>(kept->get()));
  BIO_set_callback_ex(bio, &around_bio);
  SSL_set_ex_data(const_cast<SSL*>(connection), place_in_connection(), kept.release());
}

}  // namespace

std::shared_ptr<TlsTraffic> TlsTraffic::of(const SSL* connection) {
  const auto* kept = static_cast<Kept*>(SSL_get_ex_data(connection, place_in_connection()));
  return kept == nullptr ? nullptr : *kept;
}

TlsTraffic::TlsTraffic(TlsReads& reads) : reads_(reads), heard_ns_(reads.now_ns()) {}

bool TlsTraffic::may_read() {
  return reads_.may_read();
}

bool TlsTraffic::take(int64_t bytes) {
  bytes_left_ -= bytes;
  if (bytes_left_ < 0) has_failed_ = true;
  return !has_failed_;
}

void TlsTraffic::take_late_message() {
  if (++late_messages_ > late_messages_max) has_failed_ = true;
}

TlsTraffic::Request::Request(std::shared_ptr<TlsTraffic> traffic, int64_t body_bytes)
    : traffic_(std::move(traffic)),
      begun_ns_(traffic_->reads_.now_ns()),
      bytes_beside_(bytes_beside_per_request + body_bytes / request_bytes_per_byte_beside) {
  traffic_->most_bytes_beside_ += bytes_beside_;
  traffic_->bytes_left_ += bytes_beside_;
}

// What it has not used does not add up with that of others.
TlsTraffic::Request::~Request() {
  if (!is_whole_) {
    if (!std::exchange(traffic_->has_unwanted_, true)) {
      traffic_->most_bytes_beside_ += bytes_unwanted_max;
    }
    traffic_->bytes_left_ += bytes_unwanted_max;
  }
  traffic_->most_bytes_beside_ -= bytes_beside_;
  traffic_->bytes_left_ = std::min(traffic_->bytes_left_, traffic_->most_bytes_beside_);
}

void TlsTraffic::Request::take_head() {
  traffic_->heard_ns_ = traffic_->reads_.now_ns();
}

void TlsTraffic::Request::take_body(int64_t bytes) {
  traffic_->heard_ns_ = traffic_->reads_.now_ns();
  traffic_->bytes_left_ =
      std::min(traffic_->bytes_left_ + bytes_per_body_byte * bytes, traffic_->most_bytes_beside_);
}

bool TlsTraffic::Request::hears_nothing() const {
  const int64_t heard_ns = traffic_->heard_ns_;
  return heard_ns <= begun_ns_ && traffic_->reads_.now_ns() - heard_ns >= silent_ns;
}

void TlsReads::bound(SSL_CTX* context) {
  SSL_CTX_set_ex_data(context, place_in_context(), this);
  SSL_CTX_set_info_callback(context, &on_handshake);
  SSL_CTX_set_msg_callback(context, &on_message);
}

void TlsReads::begin_step() {
  reads_ = 0;
  is_over_ = false;
}

bool TlsReads::may_read() {
  if (is_over_ || ++reads_ % reads_between_looks != 0) return !is_over_;
  const int64_t now_ns = clock_.now_ns();
  if (reads_ == reads_between_looks) until_ns_ = now_ns + step_ns;
  is_over_ = now_ns >= until_ns_;
  return !is_over_;
}

}  // namespace sluice
