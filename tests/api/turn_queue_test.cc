#include "api/turn_queue.h"

#include <doctest/doctest.h>

#include <string>

namespace sluice {
namespace {

using Queue = TurnQueue<std::string>;

const auto anybody = [](const std::string&, const std::string&) { return true; };

// All that is left, in the order of their turns.
std::string taken(Queue& queue) {
  std::string all;
  while (const auto item = queue.take(anybody)) all += *item;
  return all;
}

}  // namespace

TEST_CASE("keys take turns, each key's items in order") {
  Queue queue;
  for (const char* item : {"1", "2", "3"}) queue.push("many", item);
  queue.push("few", "a");
  queue.push("few", "b");
  queue.push("one", "x");
  CHECK(queue.size() == 6);
  CHECK(queue.keys() == 3);
  CHECK(taken(queue) == "a1xb23");
  CHECK(queue.empty());
  CHECK(queue.keys() == 0);
}

TEST_CASE("who comes has its turn after one of those that wait") {
  Queue queue;
  for (const char* item : {"1", "2", "3"}) queue.push("b", item);
  CHECK(queue.take(anybody) == "1");
  queue.push("a", "x");
  CHECK(taken(queue) == "x23");
}

TEST_CASE("a key that may not go is passed over, and keeps what it has") {
  Queue queue;
  queue.push("a", "1");
  queue.push("b", "2");
  const auto not_a = [](const std::string& key, const std::string&) { return key != "a"; };
  CHECK(queue.take(not_a) == "2");
  CHECK(queue.take(not_a) == std::nullopt);
  CHECK(queue.size_of("a") == 1);
  CHECK(taken(queue) == "1");
}

TEST_CASE("a turn may be of several items of its key") {
  Queue queue;
  for (const char* item : {"1", "2", "3"}) queue.push("a", item);
  queue.push("b", "x");
  CHECK(queue.take(anybody) == "1");
  const auto not_3 = [](const std::string& item) { return item != "3"; };
  CHECK(queue.take_of("a", not_3) == "2");
  CHECK(queue.take_of("a", not_3) == std::nullopt);
  CHECK(queue.take_of("c", not_3) == std::nullopt);
  CHECK(queue.size() == 2);
  CHECK(taken(queue) == "x3");
}

TEST_CASE("what is over leaves its key's queue") {
  Queue queue;
  for (const char* item : {"1", "2", "3"}) queue.push("a", item);
  queue.push("b", "2");
  queue.erase_if("a", [](const std::string& item) { return item != "3"; });
  queue.erase_if("c", [](const std::string&) { return true; });
  CHECK(queue.size() == 2);
  queue.erase_if("a", [](const std::string&) { return true; });
  CHECK(queue.keys() == 1);
  CHECK(queue.size_of("a") == 0);
  CHECK(taken(queue) == "2");
}

}  // namespace sluice
