#include "api/console.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "api/arguments.h"
#include "api/error_reply.h"
#include "api/request_origin.h"
#include "json_text.h"

namespace sluice {
namespace {

// {"key": "…"} has 100: nobody's body is kept before he has shown a key.
constexpr int64_t sign_in_bytes_max = 1024;

int64_t unix_time_s() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

HttpReply not_allowed(std::string allowed) {
  HttpReply reply = error_reply(405, "method_not_allowed", "the path takes " + allowed);
  reply.headers.emplace_back("Allow", std::move(allowed));
  return reply;
}

bool has_small_body(const HttpIncoming& incoming) {
  const std::string_view length = incoming.header("content-length");
  int64_t bytes = -1;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  return error == std::errc() && end == length.data() + length.size() && bytes >= 0 &&
         bytes <= sign_in_bytes_max;
}

// The string `key` of the JSON object `body`; no key has a character that JSON escapes.
std::string key_in(std::string& body) {
  const HttpFields fields = json_fields(body);
  const std::string_view text = find_field(fields, "key");
  const bool is_string = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_string ? std::string(text.substr(1, text.size() - 2)) : std::string();
}

std::string scopes_json(const Caller& caller) {
  std::string list;
  for (const Scope scope : {Scope::submit, Scope::read, Scope::admin}) {
    if (!caller.may(scope)) continue;
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ",", to_text(scope));
  }
  return "[" + list + "]";
}

std::string json_or_null(const std::optional<std::string>& text) {
  return text ? json_string(*text) : "null";
}

// 204, with a Set-Cookie unless that is empty.
HttpReply done(std::string cookie) {
  HttpReply reply;
  reply.status = 204;
  reply.content_type = "";
  if (!cookie.empty()) reply.headers.emplace_back("Set-Cookie", std::move(cookie));
  return reply;
}

}  // namespace

std::optional<HttpReply> Console::refusal(const HttpIncoming& incoming, ConsolePlace place) const {
  if (place == ConsolePlace::page) {
    if (!is_look(incoming)) return not_allowed("GET");
    return std::nullopt;
  }
  const bool is_session = place == ConsolePlace::session;
  if (is_session && !is_look(incoming) && incoming.method != "POST" &&
      incoming.method != "DELETE") {
    return not_allowed("GET, POST, DELETE");
  }
  const std::string reason = not_of_console_because(incoming, url_scheme_);
  if (!reason.empty()) {
    return error_reply(403, "forbidden", reason, {},
                       "Only the console's own page uses this; programs use /v1 with a key.");
  }
  if (is_session && incoming.method == "POST" && !has_small_body(incoming)) {
    return error_reply(413, "too_large", "a sign-in has at most 1024 bytes, and says how many");
  }
  return std::nullopt;
}

std::optional<std::string> Console::key_named_in(const HttpIncoming& incoming) {
  for (const std::string_view cookie : console_cookies(incoming.headers)) {
    const auto session = parse_cookie(cookie);
    if (session && is_in_time(*session, unix_time_s())) return session->key_id;
  }
  return std::nullopt;
}

// Sessions of two keys are nobody's: a page on another port of this host may set a cookie, too, and
// whoever is signed in would act with the key of that page's owner.
std::optional<ConsoleSession> Console::session_of(const HttpIncoming& incoming) const {
  std::optional<ConsoleSession> found;
  for (const std::string_view cookie : console_cookies(incoming.headers)) {
    auto session = parse_cookie(cookie);
    if (!session || !is_in_time(*session, unix_time_s()) ||
        !is_genuine(cookie, keys_.digest_of(session->key_id)) ||
        keys_.bearer(session->key_id) == nullptr) {
      continue;
    }
    if (found && found->key_id != session->key_id) return std::nullopt;
    if (!found) found = std::move(session);
  }
  return found;
}

Co<HttpReply> Console::answer(HttpIncoming incoming) {
  if (incoming.method == "POST") co_return co_await sign_in(std::move(incoming));
  co_return incoming.method == "DELETE" ? sign_out(incoming) : show(incoming);
}

Co<HttpReply> Console::sign_in(HttpIncoming incoming) {
  if (without_keys_) co_return done(std::string());
  const std::string key = key_in(incoming.body);
  if (key.empty()) co_return bad_argument("key", "key is a key, as sluice key create prints it");
  const std::string reason = keys_.not_ready_because();
  if (!reason.empty()) co_return unavailable_reply(reason);
  const auto id = key_id(key);
  if (id && keys_.is_unknown(*id)) {
    Co<Result<void>> looking = keys_.look_up(std::string(*id));
    const Result<void> looked = co_await std::move(looking);
    if (!looked) co_return error_reply(looked.error());
  }
  const auto known = keys_.id_of(key);
  if (!known) {
    HttpReply reply = error_reply(401, "unauthorized", "this key is not in force");
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    co_return reply;
  }
  ConsoleSession session;
  session.key_id = *known;
  session.signed_in_s = session.used_s = unix_time_s();
  session.is_secure = url_scheme_ == "https" || is_of_https_page(incoming);
  co_return done(set_cookie(cookie_of(session, keys_.digest_of(*known)), session.is_secure));
}

HttpReply Console::sign_out(const HttpIncoming& incoming) const {
  const auto session = session_of(incoming);
  return done(set_cookie("", session && session->is_secure));
}

HttpReply Console::show(const HttpIncoming& incoming) const {
  auto session = session_of(incoming);
  Caller caller;
  if (without_keys_) caller.is_admin = true;
  if (session) caller = *keys_.bearer(session->key_id);
  const std::string reason = keys_.not_ready_because();
  HttpReply reply = json_reply(
      200, fmt::format("{{\"signed_in\":{},\"without_keys\":{},\"key_id\":{},\"name\":{},"
                       "\"tenant\":{},\"scopes\":{},\"version\":\"{}\",\"unavailable\":{}}}\n",
                       session || without_keys_, without_keys_, json_or_null(caller.key_id),
                       json_or_null(caller.name), json_or_null(caller.tenant), scopes_json(caller),
                       SLUICE_VERSION, reason.empty() ? "null" : json_string(reason)));
  const int64_t now_s = unix_time_s();
  if (session && is_to_be_renewed(*session, now_s)) {
    session->used_s = now_s;
    reply.headers.emplace_back(
        "Set-Cookie",
        set_cookie(cookie_of(*session, keys_.digest_of(session->key_id)), session->is_secure));
  }
  return reply;
}

void Console::finish(HttpReply& reply, const std::optional<ConsoleSession>& session) const {
  add_console_headers(reply);
  if (session && is_to_be_renewed(*session, unix_time_s())) {
    reply.headers.emplace_back("Sluice-Session", "renew");
  }
}

}  // namespace sluice
