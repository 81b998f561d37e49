#include "api/front.h"

#include <fmt/format.h>

#include <memory>

#include "api/arguments.h"
#include "api/error_reply.h"
#include "api/request_origin.h"
#include "json_text.h"

namespace sluice {
namespace {

// In metrics.
constexpr std::string_view no_route = "none";
constexpr std::string_view page_route = "/console/{}";
constexpr std::string_view session_route = "/console/session";

HttpReply text_reply(std::string content_type, std::string body) {
  HttpReply reply;
  reply.content_type = std::move(content_type);
  reply.body = std::move(body);
  return reply;
}

// The requests answered without a key.
enum class Monitored { nothing, health, metrics };

Monitored monitored(const HttpIncoming& incoming) {
  if (!is_look(incoming)) return Monitored::nothing;
  if (incoming.path == "/healthz" || incoming.path == "/readyz") return Monitored::health;
  return incoming.path == "/metrics" ? Monitored::metrics : Monitored::nothing;
}

// What is answered without a key, but for a sign-in.
bool is_for_all(const HttpIncoming& incoming, ConsolePlace place) {
  return monitored(incoming) != Monitored::nothing || place == ConsolePlace::page ||
         (place == ConsolePlace::session && incoming.method != "POST");
}

// Nobody's body is kept before he has shown a key.
bool has_body(const HttpIncoming& incoming) {
  const std::string_view length = incoming.header("content-length");
  return !incoming.header("transfer-encoding").empty() || (!length.empty() && length != "0");
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

Caller administrator() {
  Caller caller;
  caller.is_admin = true;
  return caller;
}

HttpReply unauthorized() {
  HttpReply reply = error_reply(401, "unauthorized", "a valid key is needed", {},
                                "Send it as Authorization: Bearer KEY; see sluice key create.");
  reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

HttpReply two_keys() {
  return bad_request("Authorization and x-api-key hold different keys", "Send one of them.");
}

HttpReply no_such_route(const RouteMatch& match, std::string_view path) {
  if (match.allowed.empty()) {
    return error_reply(
        404, "not_found", "there is no path " + in_quotes(path), {},
        "The API is below /v1/, the console, for browsers, at /console/; docs/http.md"
        " and docs/openapi.yaml list what there is.");
  }
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
  const ConsolePlace place = console_place(incoming);
  const bool is_health = monitored(incoming) == Monitored::health;
  if (without_keys_ && !is_health && !comes_from_here(incoming, url_scheme_, place)) {
    return refuse(incoming, unauthorized());
  }
  if (place != ConsolePlace::none) {
    std::optional<HttpReply> refusal = console_.refusal(incoming, place);
    if (refusal) return refuse(incoming, std::move(*refusal));
  }
  if (is_for_all(incoming, place) && has_body(incoming)) {
    return refuse(incoming, error_reply(413, "too_large", "this takes no body"));
  }
  if (is_health) return HttpVerdict();
  if (without_keys_ || monitored(incoming) == Monitored::metrics || place == ConsolePlace::page) {
    return HttpVerdict();
  }
  const std::string reason = keys_.not_ready_because();
  if (place == ConsolePlace::session && (!reason.empty() || incoming.method == "POST")) {
    return HttpVerdict();
  }
  if (!reason.empty()) return refuse(incoming, unavailable_reply(reason));
  if (has_two_keys(incoming)) return refuse(incoming, two_keys());
  const std::optional<std::string> id = key_named_in(incoming);
  if (id && keys_.is_unknown(*id)) return verdict_after_look(incoming, *id);
  return verdict(incoming);
}

// The server keeps `incoming` until this has ended.
Co<HttpVerdict> Front::verdict_after_look(const HttpIncoming& incoming, std::string id) {
  Co<Result<void>> looking = keys_.look_up(std::move(id));
  const Result<void> looked = co_await std::move(looking);
  const bool needs_key = console_place(incoming) != ConsolePlace::session;
  if (!looked && needs_key) co_return refuse(incoming, error_reply(looked.error()));
  co_return verdict(incoming);
}

// The id of the key whose bearer a request says it is from.
std::optional<std::string> Front::key_named_in(const HttpIncoming& incoming) {
  const bool may_have_cookie = console_place(incoming) != ConsolePlace::none;
  if (may_have_cookie && key_in(incoming).empty()) return Console::key_named_in(incoming);
  const auto id = key_id(key_in(incoming));
  return id ? std::optional<std::string>(*id) : std::nullopt;
}

HttpVerdict Front::verdict(const HttpIncoming& incoming) {
  const ConsolePlace place = console_place(incoming);
  std::optional<std::string> id = keys_.id_of(key_in(incoming));
  if (place != ConsolePlace::none && key_in(incoming).empty()) {
    const auto session = console_.session_of(incoming);
    if (session && !keys_.is_unknown(session->key_id)) id = session->key_id;
  }
  // Who is not signed in may ask whether he is.
  if (!id && place != ConsolePlace::session) return refuse(incoming, unauthorized());
  HttpVerdict verdict;
  verdict.client = std::move(id).value_or("");
  return verdict;
}

HttpVerdict Front::refuse(const HttpIncoming& incoming, HttpReply reply) {
  if (console_place(incoming) != ConsolePlace::none) add_console_headers(reply);
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
  const ConsolePlace place = console_place(incoming);
  if (place != ConsolePlace::none) {
    co_return co_await dispatch_in_console(std::move(incoming), place, open);
  }
  co_return co_await dispatch_to_route(std::move(incoming), open);
}

Co<HttpReply> Front::dispatch_in_console(HttpIncoming incoming, ConsolePlace place,
                                         OpenRequest& open) {
  HttpReply reply;
  std::optional<ConsoleSession> session;
  if (place == ConsolePlace::page) {
    open.pattern = page_route;
    reply = console_page(incoming);
  } else if (place == ConsolePlace::session) {
    open.pattern = session_route;
    reply = co_await console_.answer(std::move(incoming));
  } else {
    if (key_in(incoming).empty()) session = console_.session_of(incoming);
    std::string path(api_path(incoming.path));
    incoming.path = std::move(path);
    reply = co_await dispatch_to_route(std::move(incoming), open);
  }
  console_.finish(reply, session);
  co_return reply;
}

Co<HttpReply> Front::dispatch_to_route(HttpIncoming incoming, OpenRequest& open) {
  const std::string reason = keys_.not_ready_because();
  if (!reason.empty()) co_return unavailable_reply(reason);
  const std::string client = incoming.client;
  const bool only_reads = incoming.only_reads();
  const std::optional<Caller> caller = caller_of(client);
  if (!caller) co_return unauthorized();  // revoked while its body came
  RouteMatch match = find_route(routes(), incoming.method, incoming.path);
  if (match.route == nullptr) co_return no_such_route(match, incoming.path);
  open.pattern = match.route->pattern;
  open.span.emplace(spans_, incoming, open.pattern, url_scheme_);
  if (!caller->may(match.route->scope)) {
    co_return without_scope(match.route->scope);
  }
  ApiRequest request;
  std::optional<HttpReply> refusal =
      body_refusal(incoming.body, match.route->body, &request.body_values);
  if (refusal) co_return std::move(*refusal);
  request.http = std::move(incoming);
  request.names = std::move(match.names);
  request.sql = match.route->sql;
  request.caller = *caller;
  request.traceparent = open.span->traceparent();
  HttpReply reply = co_await match.route->handler(services_, std::move(request));
  if (!caller_of(client)) {  // revoked meanwhile
    if (only_reads) co_return unauthorized();
    reply = HttpReply();
    reply.drop = true;  // what it asked for may have been done
  }
  co_return reply;
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
  if (services_.reads.has_standby()) metrics_.set_reads(services_.reads);
  co_return text_reply("text/plain; version=0.0.4; charset=utf-8", metrics_.text() + queues);
}

HttpReply Front::ready_reply() const {
  const std::string reason = draining_ ? "draining" : keys_.not_ready_because();
  if (reason.empty()) {
    // Ready all the same: whoever fills that queue must not take servers out of service.
    const char* scarce = keys_.notifications_are_scarce() ? ",\"notifications\":\"scarce\"" : "";
    return json_reply(200, fmt::format("{{\"ready\":true{}{}}}\n", scarce, where_reads_go()));
  }
  return json_reply(503, fmt::format("{{\"ready\":false,\"reason\":{}}}\n", json_string(reason)));
}

// Also while the standby fails: the primary answers then.
std::string Front::where_reads_go() const {
  Reads& reads = services_.reads;
  if (!reads.has_standby()) return {};
  reads.wake();
  if (reads.distrusted_because().empty()) return ",\"reads\":\"standby\"";
  return fmt::format(",\"reads\":\"primary\",\"standby\":{}",
                     json_string(reads.distrusted_because()));
}

std::optional<Caller> Front::caller_of(const std::string& client) const {
  if (without_keys_) return administrator();
  const Caller* bearer = keys_.bearer(client);
  if (bearer == nullptr) return std::nullopt;
  return *bearer;
}

}  // namespace sluice
