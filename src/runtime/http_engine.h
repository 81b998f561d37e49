// The parts of CurlHttpClient: HttpEngine, one multi handle of curl with its descriptors and timer
// on our loop, and HttpTransfer, one request in it. They decide nothing: curl's callbacks only note
// what it wants, and after each step the transfers that ended are notified. For src/runtime only.
//
// Thread rule: loop thread only. An engine outlives its transfers.
#pragma once

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/answer_body.h"
#include "runtime/fd_watch.h"
#include "runtime/http_client.h"
#include "runtime/http_targets.h"
#include "runtime/memory_budget.h"
#include "runtime/signal.h"
#include "runtime/tls_reads.h"
#include "runtime/trust_store.h"
#include "runtime/turn_share.h"

namespace sluice {

class HttpTransfer;

// A connection that has been idle for longer is likely closed by the other side just now.
inline constexpr long http_connection_idle_s = 60;

struct CurlDelete {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct CurlMultiDelete {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using CurlEasy = std::unique_ptr<CURL, CurlDelete>;

class HttpEngine final {
 public:
  // Throws std::runtime_error when curl cannot start, or has not OpenSSL. All outlive it.
  HttpEngine(Loop& loop, Clock& clock, TurnShare& share, std::string origin);
  ~HttpEngine();
  HttpEngine(const HttpEngine&) = delete;
  HttpEngine& operator=(const HttpEngine&) = delete;

  // For one more transfer to that target: an engine is for one origin, whose share of the loop's
  // turns it has, and nobody else's connections are read in its steps.
  bool has_room(const HttpTarget& target) const;
  // It takes no more transfers, and is to be closed when those that it has are gone: a connection
  // of its is dumb, and curl would send the next ones there (D-439).
  void retire() { is_retired_ = true; }
  bool is_retired() const { return is_retired_; }
  // Since when it has no transfer; nullopt while it has one.
  std::optional<int64_t> idle_since_ns() const;
  // Those that are still to be made for its transfers included.
  size_t connections() const { return std::max(watches_.size(), transfers_.size()); }
  // Closes the connections that nobody uses and whose other side has closed them, and ends
  // transfers that get nothing but padding.
  void look();

 private:
  friend class HttpTransfer;

  void add(HttpTransfer& transfer);
  void remove(HttpTransfer& transfer);
  CurlEasy take_easy(bool is_tls);
  void give_easy(CurlEasy easy, bool is_tls);

  static curl_socket_t open_socket(void* engine, curlsocktype, curl_sockaddr* address);
  static int close_socket(void* engine, curl_socket_t fd);
  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* engine, void*);
  static int on_timer(CURLM* multi, long timeout_ms, void* engine);
  void watch(curl_socket_t fd, int what);
  void on_ready(curl_socket_t fd, int events);
  void rest_from_writing(curl_socket_t fd);
  void run_in_share(std::function<void()> work);
  void step(curl_socket_t fd, int events);
  void finish_transfers();
  void prune();
  // HTTP/2: requests of that connection above `last_stream` were not processed.
  void note_goaway(const std::string& connection, int64_t last_stream);

  Loop& loop_;
  Clock& clock_;
  TurnShare& share_;
  const std::string origin_;
  TlsReads tls_reads_;
  std::unique_ptr<CURLM, CurlMultiDelete> multi_;
  struct Watch {
    Watch(Loop& loop, int fd, FdWatch::OnReady on_ready) : watch(loop, fd, std::move(on_ready)) {}
    FdWatch watch;
    int wanted = 0;  // by curl, of CURL_POLL_IN and _OUT; 0: its connection is idle
    bool is_connected = false;
    bool was_told_idle = false;  // since then
    int ready = 0;               // events that wait for their turn
    int writable_in_a_row = 0;   // how often it was told so alone, since curl began to wait for it
  };
  std::unordered_map<curl_socket_t, Watch> watches_;  // of all connections
  Clock::TimerId timer_ = 0;
  bool timer_waits_ = false;  // for its share
  std::set<HttpTransfer*> transfers_;
  std::vector<HttpTransfer*> unwatched_;  // whose descriptor the loop did not take
  // With the options that do not change, without and with TLS; at most as many of each as there
  // were transfers at once.
  std::array<std::vector<CurlEasy>, 2> spare_;
  int64_t idle_since_ns_;
  bool is_retired_ = false;
  // Tells work that waits for its share whether we are still there.
  std::shared_ptr<HttpEngine*> self_ = std::make_shared<HttpEngine*>(this);
};

// The context of a transfer, beside its request.
struct HttpTransferContext {
  MemoryBudget& memory;
  AbortToken* abort;         // may be null
  const HttpTarget& target;  // of the request's URL; outlives the transfer
  TrustStore::Store trusted;
  std::string resolved;  // as CURLOPT_RESOLVE takes it; empty: the URL has an address
  int64_t timeout_ms;
  int64_t connect_timeout_ms;
};

// From curl_multi_add_handle to its removal. Lives in the frame of send().
class HttpTransfer final {
 public:
  // The engine and the request outlive it.
  HttpTransfer(HttpEngine& engine, HttpRequest& request, HttpTransferContext context);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  Signal::Wait ended() { return ended_.wait(); }
  HttpResult take_result() { return std::move(*result_); }

 private:
  friend class HttpEngine;

  static CurlEasy make_easy(HttpEngine& engine, bool is_tls);
  static void configure(CURL* easy);
  static void configure_connection(CURL* easy, HttpEngine& engine);
  static void configure_tls(CURL* easy);
  void set_up();
  void set_up_body();
  void set_up_tls();
  void link_headers();
  void start();
  void abort();
  int status() const;
  size_t take_body(std::string_view bytes);
  void resume();
  void note_text(std::string_view text);
  void begin_on_tls();
  void count_padding();
  bool is_multiplexed() const;
  bool may_repeat();
  void fail_unwatched();
  void finish(CURLcode code);
  void end(HttpResult result);
  tl::unexpected<HttpFailure> failure_of(CURLcode code) const;

  static size_t on_read(char* data, size_t, size_t size, void* transfer);
  static int on_seek(void* transfer, curl_off_t offset, int origin);
  static size_t on_header(char* data, size_t, size_t size, void* transfer);
  static size_t on_body(char* data, size_t, size_t size, void* transfer);
  static int before_request(void* transfer, char*, char* local_ip, int, int local_port);
  static int on_debug(CURL*, curl_infotype type, char* data, size_t size, void* transfer);
  static CURLcode on_tls(CURL*, void* tls_context, void* transfer);

  HttpEngine& engine_;
  HttpRequest& request_;
  HttpTransferContext context_;
  CurlEasy easy_;
  std::vector<curl_slist> headers_;  // the request's own lines, linked
  curl_slist resolved_{};
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  HttpFields answer_headers_;
  AnswerBody body_;
  int64_t header_bytes_ = 0;
  int64_t body_bytes_ = 0;
  curl_socket_t socket_ = CURL_SOCKET_BAD;  // the last one that curl wanted to be watched for it
  int64_t socket_bytes_ = -1;  // that had come on it before the answer; below 0: not looked at yet
  std::string connection_;     // its local address
  std::optional<TlsTraffic::Request> on_tls_;
  int64_t stream_ = 0;     // HTTP/2: its number in the connection
  bool is_http2_ = false;  // as TLS says, before there is an answer
  bool is_added_ = false;  // curl knows it
  bool sending_ = false;
  bool too_large_ = false;
  bool too_late_ = false;
  bool no_memory_ = false;
  bool is_refused_ = false;           // HTTP/2: the backend has not processed it
  bool is_repeated_ = false;          // after such a refusal
  std::optional<HttpResult> result_;  // set: it has ended
  Signal ended_;
};

}  // namespace sluice
