#include "backends/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "backends/solve.h"
#include "backends/text.h"
#include "bounds.h"

namespace sluice {

namespace {

constexpr int64_t retry_after_ms_max = 3'600'000;

std::optional<double> number_in_header(const HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key != name || value.empty()) continue;
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (end == value.c_str() + value.size() && std::isfinite(number) && number >= 0) return number;
  }
  return std::nullopt;
}

// Conditions of the model, not of the task: the credential, the bill, or the rate.
bool is_about_the_model(int status) {
  return status == 401 || status == 402 || status == 403 || status == 429;
}

bool is_passing(int status) {
  return status == 408 || status == 409 || status == 425 || status >= 500;
}

}  // namespace

const Backend* find_backend(std::string_view api) {
  return api == "solve" ? &solve_backend : nullptr;
}

Outcome outcome_of_failure(const HttpFailure& failure) {
  const std::string error = error_text(failure.message, bounds::error_bytes_max);
  switch (failure.kind) {
    case HttpFailure::Kind::not_sent:
      return Retry{"not_sent", error, std::nullopt, false, std::nullopt};
    case HttpFailure::Kind::unanswered:
      return Retry{"unanswered", error, std::nullopt, std::nullopt, std::nullopt};
    case HttpFailure::Kind::timed_out:
      return Retry{"timeout", error, std::nullopt, std::nullopt, std::nullopt};
    case HttpFailure::Kind::too_large:
      return Failed{"response_too_large", error, std::nullopt, true};
    case HttpFailure::Kind::aborted:
      return Returned{};
  }
  return Returned{};
}

Outcome outcome_of_status(const HttpResponse& response, std::string_view detail) {
  const std::string error = fmt::format("HTTP {}{}{}", response.status, detail.empty() ? "" : ": ",
                                        error_text(detail, bounds::error_bytes_max));
  const std::string code = fmt::format("http_{}", response.status);
  if (is_about_the_model(response.status)) {
    // Nobody's patience helps a wrong key or an unpaid bill: close for as long as closing goes.
    const std::optional<int64_t> wait_ms =
        response.status == 429 ? retry_after_ms(response) : std::optional(retry_after_ms_max);
    return Throttled{code, error, response.status, wait_ms};
  }
  if (is_passing(response.status)) {
    return Retry{code, error, response.status, std::nullopt, retry_after_ms(response)};
  }
  return Failed{code, error, response.status, false};
}

Outcome bad_response(const HttpResponse& response, std::string_view detail) {
  return Retry{"bad_response",
               fmt::format("HTTP {} with a body that is no answer: {}", response.status, detail),
               response.status, true, std::nullopt};
}

std::optional<int64_t> retry_after_ms(const HttpResponse& response) {
  std::optional<double> wait_ms = number_in_header(response, "retry-after-ms");
  if (!wait_ms) {
    wait_ms = number_in_header(response, "retry-after");
    if (wait_ms) *wait_ms *= 1000;
  }
  if (!wait_ms) return std::nullopt;
  return std::min(retry_after_ms_max, static_cast<int64_t>(std::min(*wait_ms, 1e9)));
}

}  // namespace sluice
