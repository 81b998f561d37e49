// However a stream of events is cut, the same events come out. The first byte is the size of a
// piece.
#include "backends/sse.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::vector<std::string> events_of(std::string_view bytes, size_t piece) {
  std::vector<std::string> events;
  sluice::EventParser parser(1'000'000, [&events](const sluice::Event& event) {
    events.push_back(std::string(event.type) + '\n' + std::string(event.data));
  });
  for (size_t at = 0; at < bytes.size(); at += piece) parser.take(bytes.substr(at, piece));
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (events_of(bytes, data[0] % 16 + size_t{1}) != events_of(bytes, bytes.size())) std::abort();
  return 0;
}
