// Any text is no hint, or one between now and an hour.
#include "backends/wait_hint.h"

#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int64_t now_unix_ms : {int64_t{0}, int64_t{1'767'225'600'000}}) {
    const auto wait_ms = sluice::parse_wait_ms(text, now_unix_ms);
    if (wait_ms && (*wait_ms < 0 || *wait_ms > sluice::wait_hint_ms_max)) std::abort();
  }
  return 0;
}
