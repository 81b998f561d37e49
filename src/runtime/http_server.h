// HttpServer answers HTTP requests on one address: each whole request becomes a coroutine of the
// handler, and may wait as long as it likes without a thread. It owns sockets and connections; it
// knows no routes and no JSON.
//
// Whatever two readers of one byte stream could take for different requests (see request_problem.h)
// is answered with 400, and its connection closed.
//
// Who a request is from is known before any of its body is read, and connections, requests, bodies,
// uploads and the bytes of answers that are not sent yet are shared out among keys and addresses
// (see fair_shares.h): what is more than a share gets 503. An answer too large for its share is not
// sent: 503 if the request only read, else 504, for it was done; one that comes in parts is cut
// off. Where connections run out, those go first that have been without a request for longest; with
// TLS those that have not begun their first one run out sooner. Bodies have 1 ms of a turn of the
// loop, in turns; a chunk of one whose size has no end is cut off.
//
// Thread rule: loop thread only. The loop and the clock outlive it. When it is destroyed, which no
// handler may do, open requests are cut off and their coroutines destroyed where they wait. A
// client that goes away does not end its request, but ends a body that is read in pieces. A body
// above its limit is read, dropped and answered with 413 before any handler sees it (in pieces:
// when it gets there); one that is several times too long is cut off.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "result.h"
#include "runtime/clock.h"
#include "runtime/co.h"
#include "runtime/http_fields.h"
#include "runtime/loop.h"

namespace sluice {

struct HttpIncoming {
  std::string method;
  std::string path;    // as sent, without the query; see percent_decode()
  HttpFields query;    // decoded
  HttpFields headers;  // names in lower case
  std::string body;
  std::string client;  // whom HttpServerOptions::admit has named
  // Keep it as long as the body: gone, what the body took of its key's share is free again.
  std::shared_ptr<void> body_share;
  // The next piece of a body that is read in pieces, some 1 MiB at most; empty at its end. Error:
  // there will be no more of it, and nobody reads the answer. One call at a time.
  std::function<Co<Result<std::string>>()> next_piece;
  // Whether somebody still waits for the answer: the client has not hung up (also not one
  // direction), and is still served. For the handler, while it runs.
  std::function<bool()> is_awaited = [] { return true; };
  int64_t arrived_ns = 0;  // by the clock, when its headers had been read

  std::string_view header(std::string_view lower_case_name) const {
    return find_field(headers, lower_case_name);
  }
  bool only_reads() const { return method == "GET" || method == "HEAD"; }
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  HttpFields headers;  // further ones
  // Gives the parts that follow the body: awaited when the part before has gone to the client;
  // empty is the end, an error cuts the connection off. Null: nothing follows. It lives, and waits,
  // no longer than its request.
  std::function<Co<Result<std::string>>()> more;
  bool drop = false;  // close the connection without any answer
};

// Whom a request is from, or how it is refused.
struct HttpVerdict {
  std::string client;  // empty: one that has no name
  std::optional<HttpReply> refusal;
};

using HttpAdmission = std::variant<HttpVerdict, Co<HttpVerdict>>;

struct HttpServerOptions {
  std::string address = "127.0.0.1:8080";              // HOST:PORT, [::1]:PORT; port 0: a free one
  std::string_view address_flag = "--listen";          // what the user says another address with
  int64_t body_bytes_max = int64_t{64} * 1024 * 1024;  // of a request
  int64_t bodies_bytes_max = int64_t{256} * 1024 * 1024;   // of all requests under way
  int64_t answers_bytes_max = int64_t{256} * 1024 * 1024;  // of all answers that are not sent yet
  int connections_max = 10'000;                            // and requests
  int idle_timeout_s = 60;  // a connection without traffic and without a request in work
  // From the end of one request to the end of the next one's headers; its body may take so long
  // too, and a second more for each 16 KiB that have come: who sends slower is cut off.
  int request_timeout_s = 60;
  std::string tls_certificate;       // PEM, with its chain; empty: plain HTTP
  std::string tls_key;               // PEM
  int header_bytes_max = 32 * 1024;  // of request line and headers together; above: 4xx
  // Of path and query: the rest holds what is parsed of them.
  int target_bytes_max() const { return header_bytes_max / 2; }
  // Says whom a request is from: at once or, if that must be looked up, by a coroutine; the headers
  // live as long as that. Null: everybody is served.
  std::function<HttpAdmission(const HttpIncoming&)> admit;
  // Whether `client`, whom `admit` has named, is still served. Asked each second of all whose
  // requests are under way; they are cut off if not. Null: all are.
  std::function<bool(const std::string& client)> is_still_served;
  // Requests whose handler begins when their headers are there and reads their body in pieces, up
  // to so many bytes. Null: none.
  std::function<bool(std::string_view method, std::string_view path)> is_read_in_pieces;
  int64_t pieces_bytes_max = int64_t{256} * 1024 * 1024;
  int uploads_max = 16;  // of those under way: each has some MiB in memory, 40 MiB at most

  // For health and metrics alone: nothing there has a body.
  static HttpServerOptions without_bodies(std::string address, std::string_view address_flag);
};

class HttpServer final {
 public:
  using Handler = std::function<Co<HttpReply>(HttpIncoming)>;

  // Listens from here on; requests are served while the loop runs. Error::refuse: address
  // malformed, in use or forbidden; a certificate that does not fit its key.
  static Result<std::unique_ptr<HttpServer>> start(Loop& loop, Clock& clock,
                                                   HttpServerOptions options, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;             // the real one
  std::string address() const;  // HOST:PORT with the real port

  // Takes no further connections, and closes each one with its next answer. Requests that come on
  // the present ones are still answered.
  void stop_listening();
  size_t open_requests() const;  // from their headers to the last byte of the answer

 private:
  struct Engine;
  explicit HttpServer(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace sluice
