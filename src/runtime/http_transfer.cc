#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <charconv>
#include <iterator>
#include <utility>

#include "runtime/http_common.h"
#include "runtime/http_engine.h"

namespace sluice {
namespace {

using Kind = HttpFailure::Kind;

constexpr long buffer_bytes = 2048;  // per transfer: 10,000 calls that wait for a model hold 20 MB
// Over HTTP/2 two frames must fit: with 16 KiB curl 7.88 loses what lets an upload go on, and 80
// prompts of 10 KB stood still where the windows had their default 64 KiB.
constexpr long tls_buffer_bytes = 32768;
// Keys are agreed on curves, below 1 ms each. In classic Diffie-Hellman the backend may choose a
// modulus of 10,000 bits, and the handshake would hold the loop for 5 s.
constexpr const char* tls_ciphers = "DEFAULT:!kDHE";  // of TLS 1.2
constexpr const char* tls_groups = "X25519:P-256:X448:P-384:P-521";
constexpr size_t kept_body_bytes_max = size_t{64} * 1024;  // beside curl's own buffer of that

// Bytes received on a connection so far, as the kernel counts them: framing and TLS included.
int64_t bytes_received(int socket) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return 0;
  return static_cast<int64_t>(info.tcpi_bytes_received);
}

bool speaks_http2(const SSL* connection) {
  const unsigned char* name = nullptr;
  unsigned bytes = 0;
  SSL_get0_alpn_selected(connection, &name, &bytes);
  return name != nullptr && std::string_view(reinterpret_cast<const char*>(name), bytes) == "h2";
}

// The number behind `name` in one of curl's sentences.
std::optional<int64_t> number_behind(std::string_view text, std::string_view name) {
  const size_t at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + name.size());
  int64_t number = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return number;
}

// Whether curl tells every other end of an HTTP/2 stream with a text: only looked at in 7.88.
bool tells_every_end_but_refusal() {
  static const unsigned version = curl_version_info(CURLVERSION_NOW)->version_num;
  return version >= 0x075800 && version < 0x080000;
}

}  // namespace

HttpTransfer::HttpTransfer(HttpEngine& engine, HttpRequest& request, HttpTransferContext context)
    : engine_(engine),
      request_(request),
      context_(std::move(context)),
      easy_(engine.take_easy(context_.target.is_tls)),
      body_(context_.memory, engine.clock_, request, context_.target) {
  engine_.add(*this);
  if (context_.abort != nullptr) context_.abort->on_abort([this] { this->abort(); });
  set_up();
  if (!context_.target.is_tls) {
    start();
    return;
  }
  set_up_tls();
  engine_.run_in_share([&engine, self = this] {
    if (!engine.transfers_.contains(self)) return;  // or another at its place: started once each
    self->start();
    engine.step(CURL_SOCKET_TIMEOUT, 0);  // the first part of the handshake, in this share
  });
}

void HttpTransfer::start() {
  if (result_ || std::exchange(is_added_, true)) return;
  if (curl_multi_add_handle(engine_.multi_.get(), easy_.get()) == CURLM_OK) return;
  is_added_ = false;
  end(http_failure(Kind::not_sent, "curl refuses the request"));
}

HttpTransfer::~HttpTransfer() {
  if (!result_ && is_added_) curl_multi_remove_handle(engine_.multi_.get(), easy_.get());
  if (context_.abort != nullptr) context_.abort->on_abort(nullptr);
  engine_.remove(*this);
  engine_.give_easy(std::move(easy_), context_.target.is_tls);
}

// Options common to all requests are set once; a handle without TLS is never used with it.
CurlEasy HttpTransfer::make_easy(HttpEngine& engine, bool is_tls) {
  CurlEasy easy(curl_easy_init());
  if (easy == nullptr) throw std::bad_alloc();
  configure(easy.get());
  configure_connection(easy.get(), engine);
  if (is_tls) configure_tls(easy.get());
  return easy;
}

void HttpTransfer::configure(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &HttpTransfer::on_body);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &HttpTransfer::on_header);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &HttpTransfer::before_request);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &HttpTransfer::on_read);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &HttpTransfer::on_seek);
}

void HttpTransfer::configure_connection(CURL* easy, HttpEngine& engine) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // also against http_proxy in the environment
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  // Should curl look a name up after all, nobody waits for its thread.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, long{tcp_keepalive_idle_s});
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer_bytes);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, http_connection_idle_s);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &HttpEngine::open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &engine);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &HttpEngine::close_socket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, &engine);
}

void HttpTransfer::configure_tls(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, tls_buffer_bytes);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  curl_easy_setopt(easy, CURLOPT_SSL_CIPHER_LIST, tls_ciphers);
  curl_easy_setopt(easy, CURLOPT_SSL_EC_CURVES, tls_groups);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, &HttpTransfer::on_tls);
  curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
  // TLS says whether one connection carries many requests (HTTP/2): wait for its first handshake
  // instead of opening one connection for each. Not without TLS: there it would be the first
  // answer.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  // For what HTTP/2 says of streams, which curl only tells in words.
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, &HttpTransfer::on_debug);
}

// Every option that may differ between two requests: the handle knows the last one's.
void HttpTransfer::set_up() {
  CURL* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy, CURLOPT_CURLU, context_.target.url.get());
  if (context_.target.url == nullptr) {
    curl_easy_setopt(easy, CURLOPT_URL, request_.url.c_str());
  }
  link_headers();
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.data());
  const bool has_body = request_.method != "GET";
  curl_easy_setopt(easy, has_body ? CURLOPT_POST : CURLOPT_HTTPGET, 1L);
  const bool is_usual = !has_body || request_.method == "POST";
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, is_usual ? nullptr : request_.method.c_str());
  if (has_body) set_up_body();
  resolved_.data = context_.resolved.data();
  curl_easy_setopt(easy, CURLOPT_RESOLVE, context_.resolved.empty() ? nullptr : &resolved_);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(context_.timeout_ms));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(context_.connect_timeout_ms));
}

// Not copied: it lives in send(). A large one is asked for while it is sent, and then given back.
void HttpTransfer::set_up_body() {
  CURL* easy = easy_.get();
  const std::string_view bytes = request_.body.rest();
  const bool is_small = bytes.size() == request_.body.size() && bytes.size() <= kept_body_bytes_max;
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, is_small ? bytes.data() : nullptr);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request_.body.size()));
  curl_easy_setopt(easy, CURLOPT_READDATA, this);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, this);
}

size_t HttpTransfer::on_read(char* data, size_t, size_t size, void* transfer) {
  HttpBody& body = static_cast<HttpTransfer*>(transfer)->request_.body;
  size_t filled = 0;
  for (std::string_view rest = body.rest(); filled < size && !rest.empty(); rest = body.rest()) {
    const size_t bytes = rest.copy(data + filled, size - filled);
    body.skip(bytes);
    filled += bytes;
  }
  if (body.rest().empty()) body.give_back();
  return filled;
}

// curl would send the request again. When it no longer has it, what this means is as if it did.
int HttpTransfer::on_seek(void* transfer, curl_off_t, int) {
  auto& self = *static_cast<HttpTransfer*>(transfer);
  if (self.request_.body.rewind()) return CURL_SEEKFUNC_OK;
  self.may_repeat();
  return CURL_SEEKFUNC_FAIL;
}

void HttpTransfer::set_up_tls() {
  curl_easy_setopt(easy_.get(), CURLOPT_SSL_CTX_DATA, this);
  curl_easy_setopt(easy_.get(), CURLOPT_DEBUGDATA, this);
}

// curl only reads the list, so it needs no copies of the lines.
void HttpTransfer::link_headers() {
  static std::string expect = "Expect:";  // curl would wait for "100 Continue" before large bodies
  static std::string user_agent = "User-Agent: sluice/" SLUICE_VERSION;
  headers_.reserve(request_.headers.size() + 2);
  for (std::string& line : request_.headers) headers_.push_back({line.data(), nullptr});
  headers_.push_back({expect.data(), nullptr});
  headers_.push_back({user_agent.data(), nullptr});
  for (size_t i = 1; i < headers_.size(); ++i) headers_[i - 1].next = &headers_[i];
}

CURLcode HttpTransfer::on_tls(CURL*, void* tls_context, void* transfer) {
  const auto& self = *static_cast<HttpTransfer*>(transfer);
  auto* context = static_cast<SSL_CTX*>(tls_context);
  SSL_CTX_set1_cert_store(context, self.context_.trusted.get());
  self.engine_.tls_reads_.bound(context);
  return CURLE_OK;
}

// Called when a connection stands and the request is about to go out. curl repeats by itself a
// request whose reused connection died without an answer; but it may have arrived and been billed,
// so whether to repeat is not curl's decision. One that was refused unprocessed is repeated once:
// each time, the backend has had a request for the same permit.
int HttpTransfer::before_request(void* transfer, char*, char* local_ip, int, int local_port) {
  auto& self = *static_cast<HttpTransfer*>(transfer);
  if (self.sending_ && !self.may_repeat()) return CURL_PREREQFUNC_ABORT;
  self.is_repeated_ = self.sending_;
  const std::optional<int64_t> by_ns = self.request_.send_by_ns;
  if (by_ns && self.engine_.clock_.now_ns() > *by_ns) {
    self.too_late_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  self.sending_ = true;
  self.is_refused_ = false;
  self.stream_ = 0;
  if (self.context_.target.is_tls) {
    self.connection_ = fmt::format("{} {}", local_ip, local_port);
    self.begin_on_tls();
  }
  return CURL_PREREQFUNC_OK;
}

void HttpTransfer::begin_on_tls() {
  const curl_tlssessioninfo* session = nullptr;
  curl_easy_getinfo(easy_.get(), CURLINFO_TLS_SSL_PTR, &session);
  if (session == nullptr || session->internals == nullptr) return;
  const auto* connection = static_cast<const SSL*>(session->internals);
  is_http2_ = speaks_http2(connection);
  if (auto traffic = TlsTraffic::of(connection)) {
    on_tls_.emplace(std::move(traffic), static_cast<int64_t>(request_.body.size()));
  }
}

// HTTP/2 says of some requests that they were not processed: those above the last stream that a
// GOAWAY names, and those that it refused one by one. Of the latter curl tells a text only on a
// fresh connection; but of everything else that ends a stream without an answer it tells one.
bool HttpTransfer::may_repeat() {
  if (on_tls_ && on_tls_->is_beyond_bounds()) return false;
  if (stream_ > 0 && error_text_[0] == '\0' && tells_every_end_but_refusal()) is_refused_ = true;
  return is_refused_ && !is_repeated_;
}

int HttpTransfer::on_debug(CURL*, curl_infotype type, char* data, size_t size, void* transfer) {
  if (type == CURLINFO_TEXT) {
    static_cast<HttpTransfer*>(transfer)->note_text(std::string_view(data, size));
  }
  return 0;
}

void HttpTransfer::note_text(std::string_view text) {
  if (const auto stream = number_behind(text, "Using Stream ID: ")) {
    stream_ = *stream;
  } else if (text.find("GOAWAY, error=") != std::string_view::npos) {
    const std::optional<int64_t> last_stream = number_behind(text, "last_stream=");
    if (last_stream) engine_.note_goaway(connection_, *last_stream);
  } else if (text.starts_with("REFUSED_STREAM")) {
    is_refused_ = true;
  }
}

size_t HttpTransfer::on_header(char* data, size_t, size_t size, void* transfer) {
  auto& self = *static_cast<HttpTransfer*>(transfer);
  const std::string_view line(data, size);
  if (self.on_tls_) self.on_tls_->take_head();
  if (self.header_bytes_ == 0) self.answer_headers_.reserve(response_headers_usual);
  self.header_bytes_ += static_cast<int64_t>(size);
  if (self.header_bytes_ > response_headers_bytes_max) {
    self.too_large_ = true;
    return 0;
  }
  if (line.starts_with("HTTP/")) self.answer_headers_.clear();  // what came before was a 1xx
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  self.answer_headers_.emplace_back(to_lower(trim(line.substr(0, colon))),
                                    std::string(trim(line.substr(colon + 1))));
  return size;
}

int HttpTransfer::status() const {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

size_t HttpTransfer::on_body(char* data, size_t, size_t size, void* transfer) {
  auto& self = *static_cast<HttpTransfer*>(transfer);
  if (!self.body_.has_begun()) {
    self.body_.begin(self.status(), self.answer_headers_, [&self] { self.resume(); });
  }
  return self.take_body(std::string_view(data, size));
}

size_t HttpTransfer::take_body(std::string_view bytes) {
  using Taken = AnswerBody::Taken;
  Taken taken = body_.take(bytes);
  if (taken == Taken::no_room) {
    if (!is_multiplexed()) return CURL_WRITEFUNC_PAUSE;
    no_memory_ = context_.memory.is_spent_twice();
    if (no_memory_) return 0;
    taken = body_.take_anyway(bytes);
  }
  body_bytes_ += std::ssize(bytes);
  if (on_tls_) on_tls_->take_body(std::ssize(bytes));
  too_large_ = taken == Taken::too_large;
  return too_large_ || result_ ? 0 : bytes.size();
}

// A paused stream would hold up all others of its connection in curl 7.88, those too that could end
// and make room.
bool HttpTransfer::is_multiplexed() const {
  long version = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_VERSION, &version);
  return version >= CURL_HTTP_VERSION_2_0;
}

// There may be room. curl gives what it kept, to take_body().
void HttpTransfer::resume() {
  const CURLcode code = curl_easy_pause(easy_.get(), CURLPAUSE_CONT);
  if (code != CURLE_OK) finish(code);
}

// Extensions of chunks, and chunks of a byte, which curl does not count. With TLS TlsTraffic does.
void HttpTransfer::count_padding() {
  if (result_ || header_bytes_ == 0 || context_.target.is_tls) return;
  // From the first look on: hardly an answer takes so long that it is looked at, and each would ask
  // the system once.
  if (socket_bytes_ < 0) socket_bytes_ = bytes_received(socket_) - header_bytes_ - body_bytes_;
  const int64_t received = bytes_received(socket_) - socket_bytes_;
  if (!is_padded(received - body_bytes_, body_bytes_)) return;
  end(http_failure(Kind::unanswered, "the answer is padded beyond all measure"));
}

void HttpTransfer::fail_unwatched() {
  if (result_) return;
  end(http_failure(sending_ ? Kind::unanswered : Kind::not_sent, cannot_watch_text));
}

tl::unexpected<HttpFailure> HttpTransfer::failure_of(CURLcode code) const {
  const std::string text = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
  const bool has_begun = status() >= 200;
  if (too_large_ && has_begun) {
    return http_failure(Kind::too_large, header_bytes_ > response_headers_bytes_max
                                             ? "the answer's headers are too large"
                                             : "the answer's body is too large");
  }
  if (too_late_) return http_failure(Kind::aborted, text);
  if (too_large_ || (on_tls_ && on_tls_->is_beyond_bounds())) {
    return http_failure(Kind::unanswered, "the backend sends too much that is no answer");
  }
  if (!sending_) {
    const bool is_plain = text.find("wrong version number") != std::string::npos;  // OpenSSL's word
    return http_failure(Kind::not_sent,
                        is_plain ? "that port speaks no TLS: is the url http://…?" : text);
  }
  // curl counts what it repeats, of earlier requests too, and from five on says this in place of a
  // reason.
  const bool has_given_up =
      text.starts_with("Connection died, tried ") && stream_ > 0 && tells_every_end_but_refusal();
  if ((is_refused_ || has_given_up) && header_bytes_ == 0) {
    return http_failure(Kind::not_sent, "refused unprocessed by HTTP/2");
  }
  if (no_memory_) {
    return http_failure(Kind::unanswered,
                        "the answers under way take all of the memory for answers");
  }
  if (code == CURLE_OPERATION_TIMEDOUT) return http_failure(Kind::timed_out, text);
  if (code == CURLE_ABORTED_BY_CALLBACK) {  // curl would have sent it once more
    return http_failure(Kind::unanswered, "the connection ended before an answer came");
  }
  return http_failure(Kind::unanswered, text);
}

void HttpTransfer::finish(CURLcode code) {
  // Aborted from within its answer, where curl lets no transfer go.
  if (result_) {
    curl_multi_remove_handle(engine_.multi_.get(), easy_.get());
    return;
  }
  // Over HTTP/1.1 curl closes the connection itself; over HTTP/2 the next request would go there.
  if (code == CURLE_OPERATION_TIMEDOUT && is_http2_ && on_tls_ && on_tls_->hears_nothing()) {
    engine_.retire();
  }
  // Over HTTP/2 curl may take the end of a flood of 1xx, which on_header() refused, for an
  // answer's.
  if (code != CURLE_OK || status() < 200) return end(failure_of(code));
  end(body_.finish(status(), std::move(answer_headers_)));
}

void HttpTransfer::abort() {
  if (!result_) end(http_failure(Kind::aborted, "aborted by its caller"));
}

void HttpTransfer::end(HttpResult result) {
  if (is_added_) curl_multi_remove_handle(engine_.multi_.get(), easy_.get());
  body_.drop();  // of one that failed
  if (on_tls_ && result) on_tls_->finish();
  on_tls_.reset();
  result_ = std::move(result);
  ended_.raise();
}

}  // namespace sluice
