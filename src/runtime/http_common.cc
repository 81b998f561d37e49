#include "runtime/http_common.h"

#include <algorithm>
#include <utility>

#include "runtime/signal.h"

namespace sluice {
namespace {

bool has_line_end(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

// One look-up, and what ends the wait for it.
struct LookUp {
  explicit LookUp(AbortToken* its_abort) : abort(its_abort) {
    if (abort != nullptr) abort->on_abort([this] { changed.raise(); });
  }
  LookUp(const LookUp&) = delete;
  LookUp& operator=(const LookUp&) = delete;
  ~LookUp() {
    if (abort != nullptr) abort->on_abort(nullptr);
  }

  Co<void> run(Resolver* resolver, std::string host, int64_t deadline_ns) {
    found = co_await resolver->resolve(std::move(host), deadline_ns);
    changed.raise();
  }

  AbortToken* const abort;
  Result<Resolver::Addresses> found;
  Signal changed;
  CoGroup group;
};

}  // namespace

HttpCommon::HttpCommon(Loop& loop_, Clock& clock_, HttpClientLimits limits_,
                       Resolver::LookUp look_up)
    : loop(loop_),
      clock(clock_),
      limits(limits_),
      resolver(loop, clock, std::move(look_up)),
      memory(clock, limits.answer_bytes_max, bounds::answer_copies),
      share(loop, clock) {}

int64_t HttpCommon::connect_by_ns(const HttpRequest& request, int64_t begun_ns) const {
  const int64_t by_ns =
      begun_ns + std::min(limits.connect_timeout_ms, request.timeout_ms) * ns_per_ms;
  return request.send_by_ns ? std::min(by_ns, *request.send_by_ns) : by_ns;
}

Co<Result<Resolver::Addresses>> HttpCommon::look_up(std::string host, int64_t deadline_ns,
                                                    AbortToken* abort) {
  if (abort != nullptr && abort->aborted()) {
    co_return tl::unexpected(Error{Error::Action::retry_later, {}, "aborted"});
  }
  LookUp look_up(abort);
  look_up.group.spawn(look_up.run(&resolver, std::move(host), deadline_ns));
  co_await look_up.changed.wait();
  co_return std::move(look_up.found);
}

std::optional<HttpFailure> HttpCommon::too_late(const HttpRequest& request,
                                                const AbortToken* abort) const {
  if (abort != nullptr && abort->aborted()) {
    return HttpFailure{HttpFailure::Kind::aborted, "aborted before it was sent"};
  }
  if (request.send_by_ns && clock.now_ns() > *request.send_by_ns) {
    return HttpFailure{HttpFailure::Kind::aborted, "no connection in time"};
  }
  return std::nullopt;
}

bool breaks_lines(const HttpRequest& request) {
  return has_line_end(request.url) || has_line_end(request.method) ||
         std::any_of(request.headers.begin(), request.headers.end(), has_line_end);
}

bool is_padded(int64_t padding_bytes, int64_t body_bytes) {
  return padding_bytes > padding_bytes_max && padding_bytes > body_bytes;
}

}  // namespace sluice
