#include "runtime/http_engine.h"

#include <sys/socket.h>
#include <unistd.h>

#include <exception>
#include <stdexcept>
#include <utility>

namespace sluice {
namespace {

// For each new request curl walks the connections of a multi handle to that host, busy ones too:
// with 8,000 under way that was most of its work (measured: 254 µs of processor time per call in
// one handle, against 104 in many).
constexpr size_t transfers_max = 64;

// HTTP/2 has few connections to walk, and each engine would open its own.
constexpr size_t tls_transfers_max = 256;

// As many idle ones as there were requests at once, at most.
constexpr long connections_max = tls_transfers_max;

// A large request is written in some hundreds of pieces; after these one in write_rest_ms, 8 to 32
// MB a second.
constexpr int writable_in_a_row_max = 500;
constexpr int64_t write_rest_ms = 2;

curl_socket_t open_no_socket(void*, curlsocktype, curl_sockaddr*) {
  return CURL_SOCKET_BAD;
}

// What bounds a connection's reads and the authorities that it trusts are OpenSSL's.
void require_openssl() {
  const char* const tls = curl_version_info(CURLVERSION_NOW)->ssl_version;
  if (tls != nullptr && std::string_view(tls).starts_with("OpenSSL/")) return;
  throw std::runtime_error("curl has no OpenSSL: install libcurl in the form that has");
}

HttpTransfer* transfer_of(CURL* easy) {
  void* transfer = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
  return static_cast<HttpTransfer*>(transfer);
}

}  // namespace

HttpEngine::HttpEngine(Loop& loop, Clock& clock, TurnShare& share, std::string origin)
    : loop_(loop),
      clock_(clock),
      share_(share),
      origin_(std::move(origin)),
      tls_reads_(clock),
      idle_since_ns_(clock.now_ns()) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw std::runtime_error("curl cannot start");
  require_openssl();
  multi_.reset(curl_multi_init());
  if (multi_ == nullptr) throw std::runtime_error("curl cannot start");
  CURLM* handle = multi_.get();
  curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, &HttpEngine::on_socket);
  curl_multi_setopt(handle, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(handle, CURLMOPT_TIMERFUNCTION, &HttpEngine::on_timer);
  curl_multi_setopt(handle, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(handle, CURLMOPT_MAXCONNECTS, connections_max);
}

HttpEngine::~HttpEngine() {
  multi_.reset();  // closes the kept connections, through on_socket
  if (timer_ != 0) clock_.cancel(timer_);
}

bool HttpEngine::has_room(const HttpTarget& target) const {
  return !is_retired_ && target.origin == origin_ &&
         transfers_.size() < (target.is_tls ? tls_transfers_max : transfers_max);
}

std::optional<int64_t> HttpEngine::idle_since_ns() const {
  if (!transfers_.empty()) return std::nullopt;
  return idle_since_ns_;
}

void HttpEngine::look() {
  for (HttpTransfer* transfer : std::set(transfers_)) transfer->count_padding();
  run_in_share([this] { prune(); });
}

void HttpEngine::add(HttpTransfer& transfer) {
  transfers_.insert(&transfer);
}

void HttpEngine::remove(HttpTransfer& transfer) {
  transfers_.erase(&transfer);
  std::erase(unwatched_, &transfer);
  if (transfers_.empty()) idle_since_ns_ = clock_.now_ns();
}

CurlEasy HttpEngine::take_easy(bool is_tls) {
  std::vector<CurlEasy>& spare = spare_[is_tls ? 1 : 0];
  if (spare.empty()) return HttpTransfer::make_easy(*this, is_tls);
  CurlEasy easy = std::move(spare.back());
  spare.pop_back();
  return easy;
}

// Its pointers are cleared first: they point into its transfer, which goes.
void HttpEngine::give_easy(CurlEasy easy, bool is_tls) {
  curl_easy_setopt(easy.get(), CURLOPT_PRIVATE, nullptr);
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, nullptr);
  spare_[is_tls ? 1 : 0].push_back(std::move(easy));
}

// A descriptor is watched for as long as it is open. Curl wants it no more after each answer, and
// again with the next request: to tell the system both would be five calls for each.
curl_socket_t HttpEngine::open_socket(void* engine, curlsocktype, curl_sockaddr* address) {
  const int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  static_cast<HttpEngine*>(engine)->watches_.erase(fd);  // of one that curl closed by itself
  return fd;
}

int HttpEngine::close_socket(void* engine, curl_socket_t fd) {
  static_cast<HttpEngine*>(engine)->watches_.erase(fd);
  return close(fd);
}

// Nothing may be thrown through the C frames of curl.
int HttpEngine::on_socket(CURL* easy, curl_socket_t fd, int what, void* engine, void*) {
  auto& self = *static_cast<HttpEngine*>(engine);
  HttpTransfer* transfer = transfer_of(easy);
  try {
    self.watch(fd, what);
    if (transfer != nullptr && what != CURL_POLL_REMOVE) transfer->socket_ = fd;
  } catch (const std::exception&) {
    if (transfer != nullptr) self.unwatched_.push_back(transfer);
  }
  return 0;
}

void HttpEngine::watch(curl_socket_t fd, int what) {
  auto found = watches_.find(fd);
  if (what == CURL_POLL_REMOVE) {
    if (found == watches_.end()) return;
    found->second.wanted = 0;
    // One that never was connected is closed without a word: its number may be another's by now.
    if (!found->second.is_connected) watches_.erase(found);
    return;
  }
  if (found == watches_.end()) {
    const auto on_ready = [this, fd](bool readable, bool writable) {
      this->on_ready(fd, (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0));
    };
    found = watches_.try_emplace(fd, loop_, fd, on_ready).first;
  }
  found->second.wanted = what;
  found->second.was_told_idle = false;
  // To connect curl waits to write.
  if ((what & CURL_POLL_IN) != 0) found->second.is_connected = true;
  if ((what & CURL_POLL_OUT) == 0) found->second.writable_in_a_row = 0;
  found->second.watch.want((what & CURL_POLL_IN) != 0, (what & CURL_POLL_OUT) != 0);
}

// It may be told again before its turn has come. Of an idle connection the first word may be an old
// one; what comes after it is its end, or news that can wait for its next request.
void HttpEngine::on_ready(curl_socket_t fd, int events) {
  Watch& watch = watches_.at(fd);
  if (watch.wanted == 0) {
    if (std::exchange(watch.was_told_idle, true)) watch.watch.want(false, false);
    return;
  }
  if (events == CURL_CSELECT_OUT && ++watch.writable_in_a_row > writable_in_a_row_max) {
    rest_from_writing(fd);
  }
  if (std::exchange(watch.ready, events) != 0) return;
  run_in_share([this, fd] {
    const auto found = watches_.find(fd);
    if (found != watches_.end()) step(fd, std::exchange(found->second.ready, 0));
  });
}

// Over HTTP/2 curl waits to write also while the backend takes no more of a request (its window is
// shut), and its descriptor can be written all the time: that was a whole core.
void HttpEngine::rest_from_writing(curl_socket_t fd) {
  watches_.at(fd).watch.want(true, false);
  const int64_t until_ns = clock_.now_ns() + write_rest_ms * ns_per_ms;
  clock_.call_at(until_ns, [fd, self = std::weak_ptr<HttpEngine*>(self_)] {
    const std::shared_ptr<HttpEngine*> engine = self.lock();
    if (engine == nullptr) return;
    const auto found = (*engine)->watches_.find(fd);
    if (found == (*engine)->watches_.end() || found->second.wanted == 0) return;
    (*engine)->watch(fd, found->second.wanted);
  });
}

void HttpEngine::run_in_share(std::function<void()> work) {
  share_.run(origin_, [work = std::move(work), self = std::weak_ptr<HttpEngine*>(self_)] {
    if (!self.expired()) work();
  });
}

// curl may not be entered again from here, so a time-out of 0 is a timer too.
int HttpEngine::on_timer(CURLM*, long timeout_ms, void* engine) {
  auto& self = *static_cast<HttpEngine*>(engine);
  if (self.timer_ != 0) self.clock_.cancel(std::exchange(self.timer_, 0));
  if (timeout_ms < 0) return 0;
  self.timer_ = self.clock_.call_at(self.clock_.now_ns() + timeout_ms * ns_per_ms, [&self] {
    self.timer_ = 0;
    if (std::exchange(self.timer_waits_, true)) return;
    self.run_in_share([&self] {
      self.timer_waits_ = false;
      self.step(CURL_SOCKET_TIMEOUT, 0);
    });
  });
  return 0;
}

void HttpEngine::step(curl_socket_t fd, int events) {
  int running = 0;
  tls_reads_.begin_step();
  curl_multi_socket_action(multi_.get(), fd, events, &running);
  finish_transfers();
}

void HttpEngine::finish_transfers() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    // finish() removes the handle, and the message goes with it.
    const CURLcode code = message->data.result;
    if (HttpTransfer* transfer = transfer_of(message->easy_handle)) transfer->finish(code);
  }
  for (HttpTransfer* transfer : std::exchange(unwatched_, {})) transfer->fail_unwatched();
}

// curl looks for dead connections when it begins a transfer, and at no other time: this one begins,
// gets no socket, and ends.
void HttpEngine::prune() {
  const CurlEasy easy(curl_easy_init());
  if (easy == nullptr) throw std::bad_alloc();
  curl_easy_setopt(easy.get(), CURLOPT_URL, "http://127.0.0.1:1/");
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_MAXAGE_CONN, http_connection_idle_s);
  curl_easy_setopt(easy.get(), CURLOPT_OPENSOCKETFUNCTION, &open_no_socket);
  if (curl_multi_add_handle(multi_.get(), easy.get()) == CURLM_OK) {
    step(CURL_SOCKET_TIMEOUT, 0);
    curl_multi_remove_handle(multi_.get(), easy.get());
  }
}

void HttpEngine::note_goaway(const std::string& connection, int64_t last_stream) {
  for (HttpTransfer* transfer : transfers_) {
    if (transfer->connection_ == connection && transfer->stream_ > last_stream) {
      transfer->is_refused_ = true;
    }
  }
}

}  // namespace sluice
