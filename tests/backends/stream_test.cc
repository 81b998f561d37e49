#include "backends/stream.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "backends/providers.h"

namespace sluice {

TEST_CASE("a stream that never stops sending what nobody keeps is too large") {
  constexpr size_t bytes_max = 10'000;
  StreamedBody body(openai_chat_backend.assembly(), bytes_max, [](const HttpFields&) {});
  std::string piece;
  SUBCASE("comments") {
    piece = ": " + std::string(100, 'x') + "\n";
  }
  SUBCASE("blank lines") {
    piece = std::string(100, '\n');
  }
  SUBCASE("events without a meaning") {
    piece = "data: {\"choices\":[]}\n\n";
  }
  size_t sent = 0;
  while (sent < 20 * bytes_max && body.take(piece)) sent += piece.size();
  CHECK(sent > 4 * bytes_max);
  CHECK(sent < 10 * bytes_max);
  CHECK(body.bytes() < 200);
}

}  // namespace sluice
