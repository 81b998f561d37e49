#include "api/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "api/error_reply.h"
#include "json_text.h"

namespace sluice {
namespace {

constexpr std::string_view no_route = "none";  // in metrics

HttpReply text_reply(std::string content_type, std::string body) {
  HttpReply reply;
  reply.content_type = std::move(content_type);
  reply.body = std::move(body);
  return reply;
}

bool is_look(const HttpIncoming& incoming) {
  return incoming.method == "GET" || incoming.method == "HEAD";
}

// The requests answered without a key.
enum class Monitored { nothing, health, metrics };

Monitored monitored(const HttpIncoming& incoming) {
  if (!is_look(incoming)) return Monitored::nothing;
  if (incoming.path == "/healthz" || incoming.path == "/readyz") return Monitored::health;
  return incoming.path == "/metrics" ? Monitored::metrics : Monitored::nothing;
}

std::string_view bearer_in(const HttpIncoming& incoming) {
  constexpr std::string_view scheme = "bearer ";
  const std::string_view authorization = incoming.header("authorization");
  return begins_in_any_case(authorization, scheme) ? authorization.substr(scheme.size())
                                                   : std::string_view();
}

std::string_view key_in(const HttpIncoming& incoming) {
  const std::string_view bearer = bearer_in(incoming);
  return bearer.empty() ? incoming.header("x-api-key") : bearer;
}

// A proxy before us may have looked at the other one.
bool has_two_keys(const HttpIncoming& incoming) {
  const std::string_view bearer = bearer_in(incoming);
  const std::string_view key = incoming.header("x-api-key");
  return !bearer.empty() && !key.empty() && bearer != key;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Without keys a page in the user's browser must not act for him, nor read: neither from another
// site (Origin, Sec-Fetch-Site) nor under a name that leads here by its own DNS (Host).
bool comes_from_here(const HttpIncoming& incoming) {
  const std::string_view host = incoming.header("host");
  const auto is_here = [host](std::string_view name) {
    if (!host.starts_with(name)) return false;
    const std::string_view port = host.substr(name.size());
    return port.empty() || (port.front() == ':' && is_number(port.substr(1)));
  };
  // Each header, for one may be there twice, and an empty Origin is a browser's as well.
  const auto is_of_a_page = [](const auto& header) {
    const auto& [name, value] = header;
    return name == "origin" ||
           (name == "sec-fetch-site" && value != "same-origin" && value != "none");
  };
  return std::none_of(incoming.headers.begin(), incoming.headers.end(), is_of_a_page) &&
         (is_here("127.0.0.1") || is_here("localhost") || is_here("[::1]"));
}

Caller administrator() {
  Caller caller;
  caller.is_admin = true;
  return caller;
}

// The reading of keys is the probe: while it has no answer nothing else would have one.
HttpReply unavailable(std::string_view reason) {
  return error_reply(
      Error{Error::Action::retry_later, std::string(PgPool::not_sent), std::string(reason)});
}

HttpReply unauthorized() {
  HttpReply reply = error_reply(401, "unauthorized", "a valid key is needed", {},
                                "Send it as Authorization: Bearer KEY; see sluice key create.");
  reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

HttpReply two_keys() {
  return error_reply(400, "invalid_request", "Authorization and x-api-key hold different keys", {},
                     "Send one of them.");
}

HttpReply no_such_route(const RouteMatch& match) {
  if (match.allowed.empty()) return error_reply(404, "not_found", "there is no such path");
  HttpReply reply = error_reply(405, "method_not_allowed", "the path takes " + match.allowed);
  reply.headers.emplace_back("Allow", match.allowed);
  return reply;
}

// A key's scopes do not change: a new one has others.
HttpReply without_scope(Scope needed) {
  return error_reply(
      403, "forbidden", fmt::format("this key lacks the scope {}", to_text(needed)), {},
      fmt::format("An administrator makes a key that has it: sluice key create NAME --scope {}, or "
                  "POST /v1/keys.",
                  to_text(needed)));
}

}  // namespace

// A request from its arrival to the end of its answer.
struct Front::OpenRequest {
  explicit OpenRequest(size_t& count_) : count(count_) { ++count; }
  ~OpenRequest() { --count; }
  OpenRequest(const OpenRequest&) = delete;
  OpenRequest& operator=(const OpenRequest&) = delete;

  size_t& count;  // of all that are open
  std::string_view pattern = no_route;
  std::optional<RequestSpan> span;  // of those whose route is known
};

Co<HttpReply> Front::answer(HttpIncoming incoming) {
  const int64_t arrived_ns = incoming.arrived_ns;
  const std::string method =
      incoming.method.size() < 8 ? incoming.method : "other";  // a label, so of a few kinds
  const auto open = std::make_shared<OpenRequest>(open_);
  HttpReply reply = co_await dispatch(std::move(incoming), *open);
  if (open->span) open->span->set_status(reply.status);
  if (reply.more) {  // a stream is open to its end
    reply.more = [open, more = std::move(reply.more)] { return more(); };
  }
  const auto seconds = static_cast<double>(services_.clock.now_ns() - arrived_ns) / 1e9;
  metrics_.note_answer(open->pattern == no_route ? no_route : method, open->pattern, reply.status,
                       seconds);
  co_return reply;
}

HttpAdmission Front::admit(const HttpIncoming& incoming) {
  keys_.wake();
  if (monitored(incoming) == Monitored::health) return HttpVerdict();
  if (without_keys_ && !comes_from_here(incoming)) return refuse(incoming, unauthorized());
  if (without_keys_ || monitored(incoming) == Monitored::metrics) return HttpVerdict();
  const std::string reason = keys_.not_ready_because();
  if (!reason.empty()) return refuse(incoming, unavailable(reason));
  if (has_two_keys(incoming)) return refuse(incoming, two_keys());
  if (keys_.is_unknown(key_in(incoming))) return verdict_after_look(incoming);
  return verdict(incoming);
}

// The server keeps `incoming` until this has ended.
Co<HttpVerdict> Front::verdict_after_look(const HttpIncoming& incoming) {
  Co<Result<void>> looking = keys_.look_up(std::string(key_in(incoming)));
  const Result<void> looked = co_await std::move(looking);
  if (!looked) co_return refuse(incoming, error_reply(looked.error()));
  co_return verdict(incoming);
}

HttpVerdict Front::verdict(const HttpIncoming& incoming) {
  std::optional<std::string> id = keys_.id_of(key_in(incoming));
  if (!id) return refuse(incoming, unauthorized());
  HttpVerdict verdict;
  verdict.client = std::move(*id);
  return verdict;
}

HttpVerdict Front::refuse(const HttpIncoming& incoming, HttpReply reply) {
  const auto seconds = static_cast<double>(services_.clock.now_ns() - incoming.arrived_ns) / 1e9;
  metrics_.note_answer(no_route, no_route, reply.status, seconds);
  HttpVerdict verdict;
  verdict.refusal = std::move(reply);
  return verdict;
}

Co<HttpReply> Front::dispatch(HttpIncoming incoming, OpenRequest& open) {
  if (monitored(incoming) != Monitored::nothing) {
    co_return co_await answer_monitor(std::move(incoming));
  }
  const std::string reason = keys_.not_ready_because();
  if (!reason.empty()) co_return unavailable(reason);
  const std::optional<Caller> caller = caller_of(incoming);
  if (!caller) co_return unauthorized();  // revoked while its body came
  RouteMatch match = find_route(routes(), incoming.method, incoming.path);
  if (match.route == nullptr) co_return no_such_route(match);
  open.pattern = match.route->pattern;
  open.span.emplace(spans_, incoming, open.pattern, url_scheme_);
  if (!caller->may(match.route->scope)) {
    co_return without_scope(match.route->scope);
  }
  ApiRequest request;
  request.http = std::move(incoming);
  request.names = std::move(match.names);
  request.caller = *caller;
  request.traceparent = open.span->traceparent();
  co_return co_await match.route->handler(services_, std::move(request));
}

Co<HttpReply> Front::answer_monitor(HttpIncoming incoming) {
  switch (monitored(incoming)) {
    case Monitored::health:
      co_return incoming.path == "/readyz" ? ready_reply()
                                           : text_reply("text/plain; charset=utf-8", "ok\n");
    case Monitored::metrics:
      co_return co_await metrics_reply();
    case Monitored::nothing:
      break;
  }
  co_return error_reply(404, "not_found", "here are /healthz, /readyz and /metrics");
}

Co<HttpReply> Front::metrics_reply() {
  const std::string queues = co_await queues_.text();
  metrics_.set_open_requests(open_);
  metrics_.set_database_breaker(services_.database.breaker().state());
  co_return text_reply("text/plain; version=0.0.4; charset=utf-8", metrics_.text() + queues);
}

HttpReply Front::ready_reply() const {
  const std::string reason = draining_ ? "draining" : keys_.not_ready_because();
  if (reason.empty()) {
    // Ready all the same: whoever fills that queue must not take servers out of service.
    const char* scarce = keys_.notifications_are_scarce() ? ",\"notifications\":\"scarce\"" : "";
    return json_reply(200, fmt::format("{{\"ready\":true{}}}\n", scarce));
  }
  return json_reply(503, fmt::format("{{\"ready\":false,\"reason\":{}}}\n", json_string(reason)));
}

std::optional<Caller> Front::caller_of(const HttpIncoming& incoming) const {
  if (without_keys_) return administrator();
  const Caller* bearer = keys_.bearer(incoming.client);
  if (bearer == nullptr) return std::nullopt;
  return *bearer;
}

}  // namespace sluice
