// Whether a text can be one JSON object, judged by its outline: UTF-8, strings and brackets. It
// does not judge numbers, words or keys: PostgreSQL does, and takes numbers that no double holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// No object that is sent here has a tenth as many keys. PostgreSQL takes 2 us for each, and holds
// up others meanwhile.
inline constexpr int json_keys_max = 1000;

// Empty if `text` is outlined like one object of at most `keys_max` keys and nothing else, else
// what is wrong with it. Never quotes `text`. May enlarge the capacity of `text`.
std::string json_object_problem(std::string& text, int keys_max = json_keys_max);

// Counts the values of a JSON text that comes in pieces, those in objects and arrays included: what
// it costs to read is so much for each byte, and 20 to 100 times that for each value. Of a text
// that is no JSON it counts at least what a reader sees before it finds that out.
class JsonValueCount final {
 public:
  void add(std::string_view piece);
  int64_t count() const { return count_; }

 private:
  int64_t count_ = 1;
  bool in_string_ = false;
  bool is_escaped_ = false;  // the next character, in a string
};

}  // namespace sluice
