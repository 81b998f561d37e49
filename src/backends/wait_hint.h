// How long a backend asks us to wait, in the six forms that providers use. Pure functions over
// untrusted text: anything strange counts as no hint, and no hint is longer than an hour.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/http_client.h"

namespace sluice {

inline constexpr int64_t wait_hint_ms_max = 3'600'000;

// One hint: seconds ("7", "0.5"), a duration ("6m0s", "41ms"), or an instant: RFC 3339, an HTTP
// date, seconds since 1970. An instant counts from `now_unix_ms`; one that is past is 0.
std::optional<int64_t> parse_wait_ms(std::string_view text, int64_t now_unix_ms);

// The hint of a response, in this order: retry-after-ms; Retry-After; `body_hint`; the reset time
// of an exhausted limit (x-ratelimit-reset-…, anthropic-ratelimit-…-reset). The backend's own Date
// is the present, for its clock made the instants.
std::optional<int64_t> wait_hint_ms(const HttpResponse& response, std::string_view body_hint);

}  // namespace sluice
