#include "backends/sse.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace sluice {

namespace {

std::vector<std::string> events_of(std::string_view bytes, size_t piece) {
  std::vector<std::string> events;
  EventParser parser(1000, [&events](const Event& event) {
    events.push_back(std::string(event.type) + "|" + std::string(event.data));
  });
  for (size_t at = 0; at < bytes.size(); at += piece) CHECK(parser.take(bytes.substr(at, piece)));
  return events;
}

using Events = std::vector<std::string>;

struct Row {
  std::string bytes;
  Events events;
};

}  // namespace

TEST_CASE("a stream of events is read as the standard says, however it is cut") {
  const Row rows[] = {
      {"data: a\n\n", {"|a"}},
      {"data: a\r\n\r\n", {"|a"}},
      {"data: a\r\r", {"|a"}},
      {"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n", {"|a", "|b", "|c", "|d"}},
      {"\xEF\xBB\xBF"
       "data: a\n\n",
       {"|a"}},
      {"data: a\ndata: b\ndata:\n\n", {"|a\nb\n"}},
      {"data:a\n\ndata:  a\n\n", {"|a", "| a"}},
      {": comment\n\n:\n\ndata: a\n\n", {"|a"}},
      {"event: x\ndata: a\n\ndata: b\n\n", {"x|a", "|b"}},
      {"event: x\n\ndata: b\n\n", {"|b"}},
      {"id: 1\nretry: 5\nunknown\ndata: a\n\n", {"|a"}},
      {"data\n\n", {"|"}},
      {"data: \xC3\xA4\xF0\x9F\x98\x80\n\n", {"|\xC3\xA4\xF0\x9F\x98\x80"}},
      {"data: unfinished", {}},
      {"data: unfinished\n", {}},
      {"\n\n\n\n", {}},
      {" data: a\n\n", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.bytes);
    for (size_t piece : {1UL, 2UL, 3UL, 5UL, 100UL})
      CHECK(events_of(row.bytes, piece) == row.events);
  }
}

TEST_CASE("an endless line and an endless event are too large") {
  const auto ignore = [](const Event&) {};
  EventParser line(100, ignore);
  CHECK(line.take(std::string(100, 'x')));
  CHECK_FALSE(line.take("x"));
  CHECK_FALSE(line.take("\n\n"));
  EventParser event(100, ignore);
  bool goes_on = true;
  for (int i = 0; i < 100 && goes_on; ++i) goes_on = event.take("data: 0123456789\n");
  CHECK_FALSE(goes_on);
}

TEST_CASE("what has been given out does not count") {
  int events = 0;
  EventParser parser(100, [&events](const Event&) { ++events; });
  for (int i = 0; i < 100; ++i) CHECK(parser.take("data: 0123456789\n\n"));
  CHECK(events == 100);
}

}  // namespace sluice
