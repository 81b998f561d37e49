#include "runtime/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/http_engine.h"
#include "runtime/signal.h"

namespace sluice {
namespace {

// Would break the request line or smuggle a header in.
bool breaks_lines(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

tl::unexpected<HttpFailure> failure(HttpFailure::Kind kind, std::string message) {
  return tl::unexpected(HttpFailure{kind, std::move(message)});
}

// What curl must know not to look the host up itself, as CURLOPT_RESOLVE takes it. What it replaces
// is forgotten: later connections go where the name points by then.
Result<std::string> resolved_text(const HttpTarget& target,
                                  const Result<Resolver::Addresses>& found) {
  if (!found) return tl::unexpected(found.error());
  std::string text = target.host + ':' + target.port + ':';
  for (const std::string& address : *found) {
    if (address.find('%') != std::string::npos) continue;  // with a zone, which curl does not take
    if (text.back() != ':') text += ',';
    text += address.find(':') == std::string::npos ? address : '[' + address + ']';
  }
  return text;
}

}  // namespace

void AbortToken::abort() {
  aborted_ = true;
  if (const auto fn = std::exchange(on_abort_, nullptr)) fn();
}

CurlHttpClient::CurlHttpClient(Loop& loop, Clock& clock, HttpClientLimits limits,
                               Resolver::LookUp look_up)
    : loop_(loop),
      clock_(clock),
      limits_(limits),
      resolver_(loop, clock, std::move(look_up)),
      trust_(clock),
      memory_(loop, limits.answer_bytes_max),
      share_(loop, clock) {
  engines_.push_back(std::make_unique<HttpEngine>(loop_, clock_, share_));
}

CurlHttpClient::~CurlHttpClient() {
  clock_.cancel(look_timer_);
}

// The first one with room: a few requests at a time then share the few connections of one engine.
HttpEngine& CurlHttpClient::engine_with_room(bool is_tls) {
  if (look_timer_ == 0) {
    look_timer_ =
        clock_.call_at(clock_.now_ns() + limits_.look_interval_ms * ns_per_ms, [this] { look(); });
  }
  for (const auto& engine : engines_) {
    if (engine->has_room(is_tls)) return *engine;
  }
  return *engines_.emplace_back(std::make_unique<HttpEngine>(loop_, clock_, share_));
}

void CurlHttpClient::look() {
  const int64_t idle_ns = limits_.engine_idle_ms * ns_per_ms;
  std::erase_if(engines_, [this, idle_ns](const auto& engine) {
    const std::optional<int64_t> since_ns = engine->idle_since_ns();
    return since_ns && clock_.now_ns() - *since_ns >= idle_ns;
  });
  for (const auto& engine : engines_) engine->look();
  look_timer_ = 0;
  if (engines_.empty()) return;
  look_timer_ =
      clock_.call_at(clock_.now_ns() + limits_.look_interval_ms * ns_per_ms, [this] { look(); });
}

Task<HttpResult> CurlHttpClient::send(HttpRequest request, AbortToken* abort) {
  const int64_t begun_ns = clock_.now_ns();
  if (breaks_lines(request.url) || breaks_lines(request.method) ||
      std::any_of(request.headers.begin(), request.headers.end(), breaks_lines)) {
    co_return failure(HttpFailure::Kind::not_sent, "a line break or NUL in the URL or a header");
  }
  const std::shared_ptr<const HttpTarget> target = targets_.of(request.url);
  int64_t connect_by_ns =
      begun_ns + std::min(limits_.connect_timeout_ms, request.timeout_ms) * ns_per_ms;
  if (request.send_by_ns) connect_by_ns = std::min(connect_by_ns, *request.send_by_ns);
  Result<std::string> resolved;
  if (target->is_named) {
    const Result<Resolver::Addresses>* known = resolver_.known(target->host);
    if (known != nullptr) {
      resolved = resolved_text(*target, *known);
    } else {
      resolved = co_await look_up(*target, connect_by_ns, abort);
    }
  }
  Result<TrustStore::Store> trusted = TrustStore::Store();
  if (resolved && target->is_tls) trusted = co_await trust_.get();
  if (abort != nullptr && abort->aborted()) {
    co_return failure(HttpFailure::Kind::aborted, "aborted before it was sent");
  }
  if (request.send_by_ns && clock_.now_ns() > *request.send_by_ns) {
    co_return failure(HttpFailure::Kind::aborted, "no connection in time");
  }
  if (!resolved) co_return failure(HttpFailure::Kind::not_sent, resolved.error().message);
  if (!trusted) co_return failure(HttpFailure::Kind::not_sent, trusted.error().message);
  const int64_t spent_ms = (clock_.now_ns() - begun_ns) / ns_per_ms;
  const int64_t timeout_ms = std::max<int64_t>(1, request.timeout_ms - spent_ms);
  HttpTransfer transfer(engine_with_room(target->is_tls), request,
                        {memory_, abort, *target, std::move(*trusted), std::move(*resolved),
                         timeout_ms, std::min(limits_.connect_timeout_ms, timeout_ms)});
  co_await transfer.ended();
  co_return transfer.take_result();
}

// One look-up, and what ends the wait for it.
struct CurlHttpClient::LookUp {
  Task<void> run(Resolver* resolver, std::string host, int64_t deadline_ns) {
    found = co_await resolver->resolve(std::move(host), deadline_ns);
    changed.raise();
  }

  Result<Resolver::Addresses> found;
  Signal changed;
  TaskGroup group;
};

Task<Result<std::string>> CurlHttpClient::look_up(const HttpTarget& target, int64_t deadline_ns,
                                                  AbortToken* abort) {
  LookUp look_up;
  if (abort != nullptr) abort->on_abort([&look_up] { look_up.changed.raise(); });
  look_up.group.spawn(look_up.run(&resolver_, target.host, deadline_ns));
  co_await look_up.changed.wait();
  if (abort != nullptr) abort->on_abort(nullptr);
  co_return resolved_text(target, look_up.found);
}

}  // namespace sluice
