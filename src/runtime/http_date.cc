#include "runtime/http_date.h"

#include <curl/curl.h>

#include <string>

namespace sluice {

// curl reads many more forms, and what is none of them as some date: "20 GMT".
std::optional<int64_t> http_date_unix_s(std::string_view text) {
  constexpr std::string_view example = "Sun, 06 Nov 1994 08:49:37 GMT";
  if (text.size() != example.size() || !text.ends_with(" GMT")) return std::nullopt;
  const time_t unix_s = curl_getdate(std::string(text).c_str(), nullptr);
  if (unix_s == -1) return std::nullopt;
  return unix_s;
}

}  // namespace sluice
