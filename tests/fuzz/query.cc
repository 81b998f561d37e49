// No path or query string crashes its reader, and a decoded name has no NUL.
#include <cstdlib>
#include <string>

#include "api/arguments.h"
#include "runtime/request_problem.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto decoded = sluice::percent_decode(text);
  if (decoded && decoded->find('\0') != std::string::npos &&
      text.find('\0') == std::string_view::npos)
    std::abort();
  const auto id = sluice::parse_id(text);
  if (id && *id < 1) std::abort();
  const auto count = sluice::parse_count(text, 1, 100);
  if (count && (*count < 1 || *count > 100)) std::abort();
  const auto wait_ms = sluice::parse_poll_ms(text, 60'000);
  if (wait_ms && (*wait_ms < 0 || *wait_ms > 60'000)) std::abort();
  std::string body(text);
  sluice::json_flag(body, "stream");
  if (body != text) std::abort();
  return 0;
}
