#include "api/console_session.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "api/api_key.h"
#include "hex.h"

namespace sluice {
namespace {

constexpr std::string_view version = "v1";
// What else is signed under a key's digest one day is not to pass for a cookie.
constexpr std::string_view purpose = "sluice console session\n";
constexpr size_t key_id_chars = 16;
constexpr size_t mac_chars = 64;
constexpr size_t time_chars_max = 11;
constexpr size_t parts = 6;

Sha256 mac_of(std::string_view text, const Sha256& digest) {
  const std::string message = std::string(purpose).append(text);
  Sha256 mac{};
  unsigned length = 0;
  HMAC(EVP_sha256(), digest.data(), static_cast<int>(digest.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(), mac.data(), &length);
  return mac;
}

// As it is written: one number has one text.
std::optional<int64_t> parse_time(std::string_view text) {
  int64_t time_s = 0;
  if (text.empty() || text.size() > time_chars_max || text.front() == '0' || text.front() == '-') {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time_s);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return time_s;
}

std::optional<std::array<std::string_view, parts>> parts_of(std::string_view cookie) {
  std::array<std::string_view, parts> found;
  for (size_t part = 0; part + 1 < parts; ++part) {
    const size_t dot = cookie.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    found[part] = cookie.substr(0, dot);
    cookie.remove_prefix(dot + 1);
  }
  found.back() = cookie;
  return found;
}

}  // namespace

std::string cookie_of(const ConsoleSession& session, const Sha256& digest) {
  std::string text = fmt::format("{}.{}.{}.{}.{}", version, session.key_id, session.signed_in_s,
                                 session.used_s, session.is_secure ? 's' : 'p');
  const std::string mac = hex(mac_of(text, digest));
  return text.append(".").append(mac);
}

std::optional<ConsoleSession> parse_cookie(std::string_view cookie) {
  const auto found = parts_of(cookie);
  if (!found) return std::nullopt;
  const auto& [version_text, id, signed_in, used, secure, mac] = *found;
  const auto signed_in_s = parse_time(signed_in);
  const auto used_s = parse_time(used);
  if (version_text != version || id.size() != key_id_chars || !is_hex(id) || !signed_in_s ||
      !used_s || (secure != "s" && secure != "p") || mac.size() != mac_chars || !is_hex(mac)) {
    return std::nullopt;
  }
  return ConsoleSession{std::string(id), *signed_in_s, *used_s, secure == "s"};
}

bool is_genuine(std::string_view cookie, const Sha256& digest) {
  if (!parse_cookie(cookie) || digest == Sha256{}) return false;
  const size_t end = cookie.size() - mac_chars - 1;
  return same_digest(mac_of(cookie.substr(0, end), digest), parse_digest(cookie.substr(end + 1)));
}

bool is_in_time(const ConsoleSession& session, int64_t now_s) {
  return session.used_s >= session.signed_in_s &&
         session.used_s <= now_s + session_clock_lead_s_max &&
         now_s - session.used_s < session_idle_s_max &&
         now_s - session.signed_in_s < session_life_s_max;
}

bool is_to_be_renewed(const ConsoleSession& session, int64_t now_s) {
  return now_s - session.used_s >= session_renew_after_s;
}

std::vector<std::string_view> console_cookies(const HttpFields& headers) {
  std::vector<std::string_view> cookies;
  for (const auto& [name, value] : headers) {
    if (name != "cookie") continue;
    std::string_view rest = value;
    while (!rest.empty() && cookies.size() < session_cookies_max) {
      const size_t end = std::min(rest.find(';'), rest.size());
      const std::string_view pair = trim(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const size_t equals = pair.find('=');
      if (equals != std::string_view::npos && pair.substr(0, equals) == console_cookie_name) {
        cookies.push_back(pair.substr(equals + 1));
      }
    }
  }
  return cookies;
}

std::string set_cookie(std::string_view value, bool is_secure) {
  return fmt::format("{}={}; HttpOnly; SameSite=Strict{}{}", console_cookie_name, value,
                     is_secure ? "; Secure" : "", value.empty() ? "; Max-Age=0" : "");
}

}  // namespace sluice
