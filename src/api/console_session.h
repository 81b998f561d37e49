// The console's cookie: who has signed in with which key, and when. The server keeps no session. A
// cookie names the key and two times, and has a MAC under the key's digest: every server of the
// database knows it, and it ends with its key. It does not hold the key, and no key can be made
// from it. Pure.
//
// "v1.ID.SIGNED_IN.USED.SECURE.MAC": times in seconds since 1970; SECURE is s where the browser
// comes by TLS, else p; MAC is the HMAC-SHA256 of all that stands before its dot, hexadecimal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/http_fields.h"
#include "sha256.h"

namespace sluice {

inline constexpr std::string_view console_cookie_name = "sluice_console";
inline constexpr int64_t session_idle_s_max = 3600;       // without use
inline constexpr int64_t session_life_s_max = 12 * 3600;  // in all
inline constexpr int64_t session_renew_after_s = 5 * 60;  // of use
inline constexpr int64_t session_clock_lead_s_max = 60;   // of another server's clock
inline constexpr size_t session_cookies_max = 8;          // that are looked at in one request

struct ConsoleSession {
  std::string key_id;
  int64_t signed_in_s = 0;
  int64_t used_s = 0;
  bool is_secure = false;  // its cookie is for TLS alone
};

// The cookie of `session` under the digest of its key.
std::string cookie_of(const ConsoleSession& session, const Sha256& digest);

// What `cookie` says; nullopt when it has not the form of one. Whether that is true only is_genuine
// knows.
std::optional<ConsoleSession> parse_cookie(std::string_view cookie);

// Whether `cookie` was made under `digest`, which is not that of no key. Takes as long for any two
// digests.
bool is_genuine(std::string_view cookie, const Sha256& digest);

bool is_in_time(const ConsoleSession& session, int64_t now_s);

// Whether it was used so long ago that the browser should have a new cookie.
bool is_to_be_renewed(const ConsoleSession& session, int64_t now_s);

// The console's cookies among a request's headers, the first ones.
std::vector<std::string_view> console_cookies(const HttpFields& headers);

// A Set-Cookie, for the path that the request was sent to and those beside it, of `value`; an empty
// one ends the cookie.
std::string set_cookie(std::string_view value, bool is_secure);

}  // namespace sluice
