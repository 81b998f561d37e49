#include "runtime/tls_reads.h"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

#include "runtime/clock.h"
#include "runtime/loop.h"

namespace sluice {
namespace {

template <class T, void (*free)(T*)>
struct Freed {
  void operator()(T* it) const { free(it); }
};
template <class T, void (*free)(T*)>
using Owned = std::unique_ptr<T, Freed<T, free>>;
using Context = Owned<SSL_CTX, SSL_CTX_free>;
using Connection = Owned<SSL, SSL_free>;

// A certificate of its own for a new key.
Context server_context() {
  Context context(SSL_CTX_new(TLS_server_method()));
  const Owned<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  const Owned<X509, X509_free> certificate(X509_new());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  REQUIRE(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  REQUIRE(SSL_CTX_use_certificate(context.get(), certificate.get()) == 1);
  REQUIRE(SSL_CTX_use_PrivateKey(context.get(), key.get()) == 1);
  return context;
}

// A client that TlsReads bounds, and its server, connected in memory.
struct Pair {
  Loop loop;
  SystemClock clock{loop};
  TlsReads reads{clock};
  Context of_client{SSL_CTX_new(TLS_client_method())};
  Context of_server = server_context();
  Connection client;
  Connection server;

  Pair() {
    reads.bound(of_client.get());
    client.reset(SSL_new(of_client.get()));
    server.reset(SSL_new(of_server.get()));
    BIO* ends[2] = {nullptr, nullptr};
    REQUIRE(BIO_new_bio_pair(&ends[0], 0, &ends[1], 0) == 1);
    SSL_set_bio(client.get(), ends[0], ends[0]);
    SSL_set_bio(server.get(), ends[1], ends[1]);
    SSL_set_connect_state(client.get());
    SSL_set_accept_state(server.get());
    bool is_connected = false;
    for (int i = 0; i < 10 && !is_connected; ++i) {
      is_connected = SSL_do_handshake(client.get()) == 1;
      is_connected = SSL_do_handshake(server.get()) == 1 && is_connected;
    }
    REQUIRE(is_connected);
  }

  int read() {
    reads.begin_step();  // as its own: the machine may be busy
    std::array<char, 16> text{};
    const int got = SSL_read(client.get(), text.data(), text.size());
    return got > 0 ? SSL_ERROR_NONE : SSL_get_error(client.get(), got);
  }

  void send_tickets(int count) {
    for (int i = 0; i < count; ++i) {
      REQUIRE(SSL_new_session_ticket(server.get()) == 1);
      REQUIRE(SSL_do_handshake(server.get()) == 1);
      REQUIRE(read() == SSL_ERROR_WANT_READ);
    }
  }
};

TEST_CASE("a connection has some tickets and new keys, and fails when they have no end") {
  Pair pair;
  pair.send_tickets(TlsReads::late_messages_max - 10);
  REQUIRE(SSL_key_update(pair.server.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
  REQUIRE(SSL_write(pair.server.get(), "x", 1) == 1);
  CHECK(pair.read() == SSL_ERROR_NONE);
  int error = SSL_ERROR_WANT_READ;
  for (int i = 0; i < 20 && error == SSL_ERROR_WANT_READ; ++i) {
    REQUIRE(SSL_new_session_ticket(pair.server.get()) == 1);
    REQUIRE(SSL_do_handshake(pair.server.get()) == 1);
    error = pair.read();
  }
  CHECK(error != SSL_ERROR_WANT_READ);
  CHECK(error != SSL_ERROR_NONE);
}

}  // namespace
}  // namespace sluice
