// Reads dates in the one format that HTTP servers may write. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

// "Sun, 06 Nov 1994 08:49:37 GMT": the seconds since 1970. Nothing in any other form.
std::optional<int64_t> http_date_unix_s(std::string_view text);

}  // namespace sluice
