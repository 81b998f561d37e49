// A Cookie header, whatever it says, does not crash its reader. What parses as a session is written
// as it was read, and is not genuine.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "api/console_session.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const sluice::HttpFields headers = {{"cookie", text}, {"cookie", "sluice_console=" + text}};
  auto cookies = sluice::console_cookies(headers);
  if (cookies.size() > sluice::session_cookies_max) std::abort();
  cookies.push_back(text);
  const sluice::Sha256 digest = sluice::sha256("a key");
  for (const std::string_view cookie : cookies) {
    const auto session = sluice::parse_cookie(cookie);
    if (sluice::is_genuine(cookie, digest)) std::abort();
    if (!session) continue;
    const std::string written = sluice::cookie_of(*session, digest);
    const size_t mac_at = cookie.rfind('.') + 1;
    if (written.substr(0, mac_at) != cookie.substr(0, mac_at)) std::abort();
    if (!sluice::is_genuine(written, digest)) std::abort();
  }
  return 0;
}
