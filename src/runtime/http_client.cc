#include "runtime/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "runtime/fd_watch.h"
#include "runtime/signal.h"

namespace sluice {
namespace {

constexpr long buffer_bytes = 2048;  // per transfer: 10,000 calls that wait for a model hold 20 MB
constexpr int64_t response_headers_bytes_max = int64_t{64} * 1024;
constexpr long keepalive_idle_s = 30;  // a long call must not die in a silent NAT
constexpr long connection_idle_s =
    60;  // an older idle connection is likely closed by the other side just now

// For each new request curl walks the connections of a multi handle to that host, busy ones too:
// with 8,000 under way that was most of its work (measured: 254 µs of processor time per call in
// one handle, against 104 in many).
constexpr size_t transfers_per_engine_max = 256;

struct EasyDelete {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiDelete {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct HeadersDelete {
  void operator()(curl_slist* headers) const { curl_slist_free_all(headers); }
};
using Easy = std::unique_ptr<CURL, EasyDelete>;
using Headers = std::unique_ptr<curl_slist, HeadersDelete>;

// Would break the request line or smuggle a header in.
bool breaks_lines(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

tl::unexpected<HttpFailure> failure(HttpFailure::Kind kind, std::string message) {
  return tl::unexpected(HttpFailure{kind, std::move(message)});
}

Headers make_headers(const std::vector<std::string>& lines) {
  Headers list;
  const auto append = [&list](const char* line) {
    curl_slist* longer = curl_slist_append(list.get(), line);
    if (longer == nullptr) throw std::bad_alloc();
    [[maybe_unused]] auto* same = list.release();
    list.reset(longer);
  };
  append("Expect:");  // curl would wait for "100 Continue" before large bodies
  for (const auto& line : lines) append(line.c_str());
  return list;
}

}  // namespace

void AbortToken::abort() {
  aborted_ = true;
  if (const auto fn = std::exchange(on_abort_, nullptr)) fn();
}

// One multi handle, and its descriptors and timer on our loop. It decides nothing: callbacks of
// curl only note what it wants, and after each step the transfers that ended are told.
struct CurlHttpClient::Engine {
  Engine(Loop& loop_, Clock& clock_, HttpClientLimits limits_);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Easy take_easy();
  void give_easy(Easy easy);

  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* engine, void*);
  static int on_timer(CURLM* multi, long timeout_ms, void* engine);
  void step(curl_socket_t fd, int events);
  void finish_transfers();

  Loop& loop;
  Clock& clock;
  HttpClientLimits limits;
  std::unique_ptr<CURLM, MultiDelete> multi;
  std::unordered_map<curl_socket_t, FdWatch> watches;
  Clock::TimerId timer = 0;
  size_t transfers = 0;
  std::vector<Easy> spare;  // at most transfers_per_engine_max
};

// One request, from curl_multi_add_handle to its removal. Lives in the frame of send().
class CurlHttpClient::Transfer final {
 public:
  Transfer(Engine& engine, const HttpRequest& request, AbortToken* abort);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Signal::Wait ended() { return ended_.wait(); }
  HttpResult take_result() { return std::move(*result_); }
  void finish(CURLcode code);

 private:
  void configure();
  void configure_connection();
  void abort();
  void begin_body();
  void end(HttpResult result);
  HttpFailure::Kind failure_kind(CURLcode code) const;

  static size_t on_header(char* data, size_t, size_t size, void* transfer);
  static size_t on_body(char* data, size_t, size_t size, void* transfer);
  static int before_request(void* transfer, char*, char*, int, int);

  Engine& engine_;
  const HttpRequest& request_;
  AbortToken* abort_;
  Easy easy_;
  Headers headers_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  HttpResponse response_;
  BodySink* sink_ = nullptr;  // set: takes the body
  int64_t header_bytes_ = 0;
  bool sending_ = false;
  bool too_large_ = false;
  bool too_late_ = false;
  std::optional<HttpResult> result_;  // set: curl knows it no more
  Signal ended_;
};

CurlHttpClient::Engine::Engine(Loop& loop_, Clock& clock_, HttpClientLimits limits_)
    : loop(loop_), clock(clock_), limits(limits_) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw std::runtime_error("curl cannot start");
  multi.reset(curl_multi_init());
  if (multi == nullptr) throw std::runtime_error("curl cannot start");
  CURLM* handle = multi.get();
  curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, &Engine::on_socket);
  curl_multi_setopt(handle, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(handle, CURLMOPT_TIMERFUNCTION, &Engine::on_timer);
  curl_multi_setopt(handle, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(handle, CURLMOPT_MAXCONNECTS, static_cast<long>(transfers_per_engine_max));
}

CurlHttpClient::Engine::~Engine() {
  multi.reset();  // closes the kept connections, through on_socket
  if (timer != 0) clock.cancel(timer);
}

Easy CurlHttpClient::Engine::take_easy() {
  ++transfers;
  if (spare.empty()) {
    Easy easy(curl_easy_init());
    if (easy == nullptr) throw std::bad_alloc();
    return easy;
  }
  Easy easy = std::move(spare.back());
  spare.pop_back();
  return easy;
}

void CurlHttpClient::Engine::give_easy(Easy easy) {
  --transfers;
  curl_easy_reset(easy.get());
  spare.push_back(std::move(easy));
}

int CurlHttpClient::Engine::on_socket(CURL*, curl_socket_t fd, int what, void* engine, void*) {
  auto& self = *static_cast<Engine*>(engine);
  if (what == CURL_POLL_REMOVE) {
    self.watches.erase(fd);
    return 0;
  }
  const auto on_ready = [&self, fd](bool readable, bool writable) {
    self.step(fd, (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0));
  };
  auto& watch = self.watches.try_emplace(fd, self.loop, fd, on_ready).first->second;
  watch.want((what & CURL_POLL_IN) != 0, (what & CURL_POLL_OUT) != 0);
  return 0;
}

// curl may not be entered again from here, so a time-out of 0 is a timer too.
int CurlHttpClient::Engine::on_timer(CURLM*, long timeout_ms, void* engine) {
  auto& self = *static_cast<Engine*>(engine);
  if (self.timer != 0) self.clock.cancel(std::exchange(self.timer, 0));
  if (timeout_ms < 0) return 0;
  self.timer = self.clock.call_at(self.clock.now_ns() + timeout_ms * ns_per_ms, [&self] {
    self.timer = 0;
    self.step(CURL_SOCKET_TIMEOUT, 0);
  });
  return 0;
}

void CurlHttpClient::Engine::step(curl_socket_t fd, int events) {
  int running = 0;
  curl_multi_socket_action(multi.get(), fd, events, &running);
  finish_transfers();
}

void CurlHttpClient::Engine::finish_transfers() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    // finish() removes the handle, and the message goes with it.
    const CURLcode code = message->data.result;
    void* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    static_cast<Transfer*>(transfer)->finish(code);
  }
}

CurlHttpClient::Transfer::Transfer(Engine& engine, const HttpRequest& request, AbortToken* abort)
    : engine_(engine),
      request_(request),
      abort_(abort),
      easy_(engine.take_easy()),
      headers_(make_headers(request.headers)) {
  if (abort_ != nullptr) abort_->on_abort([this] { this->abort(); });
  configure();
  configure_connection();
  if (curl_multi_add_handle(engine_.multi.get(), easy_.get()) != CURLM_OK) {
    result_ = failure(HttpFailure::Kind::not_sent, "curl refuses the request");
    ended_.raise();
  }
}

CurlHttpClient::Transfer::~Transfer() {
  if (!result_) curl_multi_remove_handle(engine_.multi.get(), easy_.get());
  if (abort_ != nullptr) abort_->on_abort(nullptr);
  engine_.give_easy(std::move(easy_));
}

void CurlHttpClient::Transfer::configure() {
  CURL* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy, CURLOPT_URL, request_.url.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "sluice/" SLUICE_VERSION);
  if (request_.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS,
                     request_.body.data());  // not copied: it lives in send()
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
  }
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &Transfer::before_request);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
}

void CurlHttpClient::Transfer::configure_connection() {
  CURL* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // also against http_proxy in the environment
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  // As OpenSSL's own programs do; curl's library does not by itself.
  if (const char* authorities = std::getenv("SSL_CERT_FILE")) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
  }
  // TLS says whether one connection carries many requests (HTTP/2): wait for its first handshake
  // instead of opening one connection for each. Not without TLS: there it would be the first
  // answer.
  if (request_.url.starts_with("https:")) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, keepalive_idle_s);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer_bytes);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, connection_idle_s);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout_ms));
  curl_easy_setopt(
      easy, CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(std::min(engine_.limits.connect_timeout_ms, request_.timeout_ms)));
}

// Called when a connection stands and the request is about to go out. curl repeats by itself a
// request whose reused connection died without an answer; but it may have arrived and been billed,
// so whether to repeat is not curl's decision.
int CurlHttpClient::Transfer::before_request(void* transfer, char*, char*, int, int) {
  auto& self = *static_cast<Transfer*>(transfer);
  const std::optional<int64_t> by_ns = self.request_.send_by_ns;
  if (!self.sending_ && by_ns && self.engine_.clock.now_ns() > *by_ns) {
    self.too_late_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  return std::exchange(self.sending_, true) ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

size_t CurlHttpClient::Transfer::on_header(char* data, size_t, size_t size, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  const std::string_view line(data, size);
  self.header_bytes_ += static_cast<int64_t>(size);
  if (self.header_bytes_ > response_headers_bytes_max) {
    self.too_large_ = true;
    return 0;
  }
  if (line.starts_with("HTTP/")) self.response_.headers.clear();  // what came before was a 1xx
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  self.response_.headers.emplace_back(to_lower(trim(line.substr(0, colon))),
                                      std::string(trim(line.substr(colon + 1))));
  return size;
}

void CurlHttpClient::Transfer::begin_body() {
  response_.first_byte_ns = engine_.clock.now_ns();
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  const std::string type = to_lower(find_field(response_.headers, "content-type"));
  if (status / 100 != 2 || !type.starts_with("text/event-stream")) return;
  sink_ = request_.event_stream;
  if (sink_ != nullptr) sink_->begin(response_.headers);
}

size_t CurlHttpClient::Transfer::on_body(char* data, size_t, size_t size, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  if (!self.response_.first_byte_ns) self.begin_body();
  if (self.sink_ != nullptr) {
    self.too_large_ = !self.sink_->take(std::string_view(data, size));
    return self.too_large_ ? 0 : size;
  }
  std::string& body = self.response_.body;
  if (static_cast<int64_t>(body.size() + size) > self.request_.response_bytes_max) {
    self.too_large_ = true;
    return 0;
  }
  body.append(data, size);
  return size;
}

HttpFailure::Kind CurlHttpClient::Transfer::failure_kind(CURLcode code) const {
  if (too_large_) return HttpFailure::Kind::too_large;
  if (too_late_) return HttpFailure::Kind::aborted;
  if (!sending_) return HttpFailure::Kind::not_sent;
  if (code == CURLE_OPERATION_TIMEDOUT) return HttpFailure::Kind::timed_out;
  return HttpFailure::Kind::unanswered;
}

void CurlHttpClient::Transfer::finish(CURLcode code) {
  if (code != CURLE_OK) {
    const char* text = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
    return end(failure(failure_kind(code), text));
  }
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  response_.status = static_cast<int>(status);
  response_.received_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count();
  end(std::move(response_));
}

void CurlHttpClient::Transfer::abort() {
  if (!result_) end(failure(HttpFailure::Kind::aborted, "aborted by its caller"));
}

void CurlHttpClient::Transfer::end(HttpResult result) {
  curl_multi_remove_handle(engine_.multi.get(), easy_.get());
  result_ = std::move(result);
  ended_.raise();
}

CurlHttpClient::CurlHttpClient(Loop& loop, Clock& clock, HttpClientLimits limits)
    : loop_(loop), clock_(clock), limits_(limits) {
  engines_.push_back(std::make_unique<Engine>(loop_, clock_, limits_));
}

CurlHttpClient::~CurlHttpClient() = default;

// The first one with room: a few requests at a time then share the few connections of one engine.
CurlHttpClient::Engine& CurlHttpClient::engine_with_room() {
  for (const auto& engine : engines_) {
    if (engine->transfers < transfers_per_engine_max) return *engine;
  }
  return *engines_.emplace_back(std::make_unique<Engine>(loop_, clock_, limits_));
}

Task<HttpResult> CurlHttpClient::send(HttpRequest request, AbortToken* abort) {
  if (abort != nullptr && abort->aborted()) {
    co_return failure(HttpFailure::Kind::aborted, "aborted before it was sent");
  }
  if (breaks_lines(request.url) || breaks_lines(request.method) ||
      std::any_of(request.headers.begin(), request.headers.end(), breaks_lines)) {
    co_return failure(HttpFailure::Kind::not_sent, "a line break or NUL in the URL or a header");
  }
  Transfer transfer(engine_with_room(), request, abort);
  co_await transfer.ended();
  co_return transfer.take_result();
}

}  // namespace sluice
