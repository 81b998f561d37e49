#include "backends/stream.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

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

TEST_CASE("a stream of events too short to say anything is too large, one of the shortest is not") {
  const auto events_taken = [](std::string_view event) {
    constexpr size_t most = 100'000;
    StreamedBody body(openai_chat_backend.assembly(), 8'000'000, [](const HttpFields&) {});
    size_t events = 0;
    while (events < most && body.take(event)) ++events;
    return events;
  };
  CHECK(events_taken("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n") == 100'000);
  CHECK(events_taken("data:{}\n\n") < 20'000);
  CHECK(events_taken("data:{}\n\n") > 10'000);
}

}  // namespace sluice
