#include "runtime/tls_reads.h"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <array>
#include <memory>
#include <string>

#include "runtime/clock.h"
#include "support/manual_clock.h"

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
  ManualClock clock;
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
    reads.begin_step();
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

TEST_CASE("the reads of a step end with its time, and those of the next one go on") {
  ManualClock clock;
  TlsReads reads(clock);
  const auto read_many = [&reads] {
    int64_t done = 0;
    while (done < 1000 && reads.may_read()) ++done;
    return done;
  };
  for (int i = 0; i < 2; ++i) {
    reads.begin_step();
    CHECK(read_many() == 1000);
    clock.advance(TlsReads::step_ns);
    CHECK(read_many() < TlsReads::reads_between_looks);
    CHECK_FALSE(reads.may_read());
  }
}

TEST_CASE("a connection has some tickets and new keys, and fails when they have no end") {
  Pair pair;
  pair.send_tickets(TlsTraffic::late_messages_max - 10);
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

// Bytes of body until it fails, or so many; a request that is under way is told of them.
int64_t taken_in_records(Pair& pair, size_t size, TlsTraffic::Request* request, int64_t most) {
  const std::string record(size, 'x');
  int64_t taken = 0;
  while (taken < most) {
    REQUIRE(SSL_write(pair.server.get(), record.data(), static_cast<int>(size)) > 0);
    if (pair.read() != SSL_ERROR_NONE) break;
    taken += static_cast<int64_t>(size);
    if (request != nullptr) request->take_body(static_cast<int64_t>(size));
  }
  return taken;
}

std::shared_ptr<TlsTraffic> traffic_of(const Pair& pair) {
  return TlsTraffic::of(pair.client.get());
}

constexpr int64_t much = 1'000'000;

TEST_CASE(
    "an answer in records of a byte ends after some thousand, one in records of 16 does not") {
  Pair pair;
  TlsTraffic::Request request(traffic_of(pair), 0);
  CHECK(taken_in_records(pair, 16, &request, much) >= much);
  CHECK_FALSE(request.is_beyond_bounds());
  const int64_t pieces = taken_in_records(pair, 1, &request, much);
  CHECK(pieces > 4'000);
  CHECK(pieces < 7'000);
  CHECK(request.is_beyond_bounds());
}

TEST_CASE("what is no body of an answer is bounded, however many requests came before") {
  Pair pair;
  for (int i = 0; i < 1000; ++i) {
    TlsTraffic::Request request(traffic_of(pair), 1000);
    REQUIRE(taken_in_records(pair, 16, &request, 160) == 160);
    request.finish();
  }
  const int64_t taken = taken_in_records(pair, 16, nullptr, much);
  CHECK(taken > TlsTraffic::bytes_beside_max / 4);
  CHECK(taken < TlsTraffic::bytes_beside_max);
  CHECK(traffic_of(pair)->has_failed());
}

TEST_CASE("the rest of an answer that is not wanted any more harms no other of its connection") {
  Pair pair;
  { const TlsTraffic::Request unwanted(traffic_of(pair), 0); }
  TlsTraffic::Request request(traffic_of(pair), 0);
  CHECK(taken_in_records(pair, 16, nullptr, much) >= much);
  request.take_body(1);
  CHECK(taken_in_records(pair, 16, nullptr, much) >= much);
  CHECK_FALSE(request.is_beyond_bounds());
}

TEST_CASE("a connection is silent while no answer has come since a request, and for a while") {
  Pair pair;
  TlsTraffic::Request other(traffic_of(pair), 0);
  other.take_head();
  pair.clock.advance(TlsTraffic::silent_ns / 2);
  TlsTraffic::Request request(traffic_of(pair), 0);
  CHECK_FALSE(request.hears_nothing());
  pair.clock.advance(TlsTraffic::silent_ns / 2);
  CHECK(request.hears_nothing());
  REQUIRE(taken_in_records(pair, 16, nullptr, 16) == 16);  // such as windows of HTTP/2
  CHECK(request.hears_nothing());
  SUBCASE("a head") {
    other.take_head();
  }
  SUBCASE("a body") {
    other.take_body(1);
  }
  pair.clock.advance(2 * TlsTraffic::silent_ns);
  CHECK_FALSE(request.hears_nothing());
  CHECK(TlsTraffic::Request(traffic_of(pair), 0).hears_nothing());
}

}  // namespace
}  // namespace sluice
