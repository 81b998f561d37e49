#include "runtime/curl_http_client.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/http_engine.h"

namespace sluice {
namespace {

using Kind = HttpFailure::Kind;

// The host's addresses in the form of CURLOPT_RESOLVE, so that curl does not look it up itself.
// Each call replaces the former addresses: later connections go where the name points by then.
Result<std::string> resolved_text(const HttpTarget& target,
                                  const Result<Resolver::Addresses>& found) {
  if (!found) return tl::unexpected(found.error());
  std::string text = target.origin + ':';
  for (const std::string& address : *found) {
    if (address.find('%') != std::string::npos) continue;  // with a zone, which curl does not take
    if (text.back() != ':') text += ',';
    text += address.find(':') == std::string::npos ? address : '[' + address + ']';
  }
  return text;
}

}  // namespace

CurlHttpClient::CurlHttpClient(HttpCommon& common) : common_(common), trust_(common.clock) {
  make_engine("");  // or it throws
}

CurlHttpClient::~CurlHttpClient() {
  common_.clock.cancel(look_timer_);
}

std::unique_ptr<HttpEngine> CurlHttpClient::make_engine(const std::string& origin) {
  return std::make_unique<HttpEngine>(common_.loop, common_.clock, common_.share, origin);
}

size_t CurlHttpClient::connections() const {
  size_t sum = 0;
  for (const auto& engine : engines_) sum += engine->connections();
  return sum;
}

void CurlHttpClient::close_an_idle_engine() {
  const auto since_ns = [](const auto& engine) {
    return engine->idle_since_ns().value_or(std::numeric_limits<int64_t>::max());
  };
  const auto longest =
      std::min_element(engines_.begin(), engines_.end(),
                       [&](const auto& a, const auto& b) { return since_ns(a) < since_ns(b); });
  if (longest != engines_.end() && (*longest)->idle_since_ns()) engines_.erase(longest);
}

// The first one with room: a few requests at a time then share the few connections of one engine.
HttpEngine& CurlHttpClient::engine_with_room(const HttpTarget& target) {
  look_later();
  for (const auto& engine : engines_) {
    if (engine->has_room(target)) return *engine;
  }
  common_.make_room();
  return *engines_.emplace_back(make_engine(target.origin));
}

void CurlHttpClient::look_later() {
  if (look_timer_ != 0) return;
  look_timer_ = common_.clock.call_at(
      common_.clock.now_ns() + common_.limits.look_interval_ms * ns_per_ms, [this] { look(); });
}

void CurlHttpClient::look() {
  look_timer_ = 0;
  const int64_t idle_ns = common_.limits.idle_ms * ns_per_ms;
  std::erase_if(engines_, [this, idle_ns](const auto& engine) {
    const std::optional<int64_t> since_ns = engine->idle_since_ns();
    return since_ns && (engine->is_retired() || common_.clock.now_ns() - *since_ns >= idle_ns);
  });
  for (const auto& engine : engines_) engine->look();
  if (!engines_.empty()) look_later();
}

Co<HttpResult> CurlHttpClient::send(HttpRequest request, AbortToken* abort) {
  const int64_t begun_ns = common_.clock.now_ns();
  if (breaks_lines(request)) {
    co_return http_failure(Kind::not_sent, "a line break or NUL in the URL or a header");
  }
  const std::shared_ptr<const HttpTarget> target = common_.targets.of(request.url);
  Result<std::string> resolved;
  if (target->is_named) {
    const Result<Resolver::Addresses>* known = common_.resolver.known(target->host);
    if (known != nullptr) {
      resolved = resolved_text(*target, *known);
    } else {
      const int64_t by_ns = common_.connect_by_ns(request, begun_ns);
      const auto found = co_await common_.look_up(target->host, by_ns, abort);
      resolved = resolved_text(*target, found);
    }
  }
  Result<TrustStore::Store> trusted = TrustStore::Store();
  if (resolved && target->is_tls) trusted = co_await trust_.get();
  if (auto late = common_.too_late(request, abort)) co_return tl::unexpected(std::move(*late));
  if (!resolved) co_return http_failure(Kind::not_sent, resolved.error().message);
  if (!trusted) co_return http_failure(Kind::not_sent, trusted.error().message);
  const int64_t spent_ms = (common_.clock.now_ns() - begun_ns) / ns_per_ms;
  const int64_t timeout_ms = std::max<int64_t>(1, request.timeout_ms - spent_ms);
  HttpTransfer transfer(engine_with_room(*target), request,
                        {common_.memory, abort, *target, std::move(*trusted), std::move(*resolved),
                         timeout_ms, std::min(common_.limits.connect_timeout_ms, timeout_ms)});
  co_await transfer.ended();
  co_return transfer.take_result();
}

}  // namespace sluice
