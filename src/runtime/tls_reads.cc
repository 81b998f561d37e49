#include "runtime/tls_reads.h"

#include <openssl/bio.h>

#include <cstdint>

namespace sluice {
namespace {

int place_in_context() {
  static const int place = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return place;
}

int place_in_connection() {
  static const int place = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return place;
}

// "Try again later" is what a socket says that has been read empty.
long around_bio(BIO* bio, int operation, const char*, size_t, int, long, int result, size_t*) {
  if (operation != BIO_CB_READ) return result;
  auto* reads = reinterpret_cast<TlsReads*>(BIO_get_callback_arg(bio));
  if (reads != nullptr && reads->may_read()) return result;
  if (reads != nullptr) BIO_set_retry_read(bio);
  return -1;  // without the wish to try again: the connection fails
}

void fail(const SSL* connection) {
  BIO_set_callback_arg(SSL_get_rbio(connection), nullptr);
}

// Counts messages that come after the handshake.
void on_message(int is_sent, int, int content, const void* message, size_t bytes, SSL* connection,
                void*) {
  if (is_sent != 0 || content != SSL3_RT_HANDSHAKE || bytes == 0) return;
  switch (*static_cast<const unsigned char*>(message)) {
    case SSL3_MT_HELLO_REQUEST:
    case SSL3_MT_NEWSESSION_TICKET:
    case SSL3_MT_KEY_UPDATE:
      break;
    default:
      return;
  }
  const auto count = reinterpret_cast<intptr_t>(SSL_get_ex_data(connection, place_in_connection()));
  if (count == TlsReads::late_messages_max) return fail(connection);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): OpenSSL keeps pointers, and a number is enough.
  SSL_set_ex_data(connection, place_in_connection(), reinterpret_cast<void*>(count + 1));
}

// curl lets us see the context only; the connection has its BIO when the handshake begins.
void on_handshake(const SSL* connection, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0) return;
  BIO* bio = SSL_get_rbio(connection);
  void* reads = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), place_in_context());
  BIO_set_callback_arg(bio, static_cast<char*>(reads));
  BIO_set_callback_ex(bio, &around_bio);
}

}  // namespace

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
