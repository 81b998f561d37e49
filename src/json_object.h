// Whether a text can be one JSON object, judged by its outline: UTF-8, strings and brackets. It
// does not judge numbers, words or keys: PostgreSQL does, and takes numbers that no double holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// No object that is sent here has a tenth as many keys. PostgreSQL takes 2 us for each, and holds
// up others meanwhile.
inline constexpr int json_keys_max = 1000;

// Empty if `text` is outlined like one object of at most `keys_max` keys and nothing else, else
// what is wrong with it. Never quotes `text`. May enlarge the capacity of `text`. `has`: whether
// the object has the key `name`, however that is escaped.
std::string json_object_problem(std::string& text, int keys_max = json_keys_max,
                                std::string_view name = {}, bool* has = nullptr);

// Values of a text that PostgreSQL reads as jsonb: a list of lists takes 600 bytes and 1 us for
// each, so this is 250 MB and 0.4 s. An embeddings request has 300,000 tokens at most.
inline constexpr int64_t json_values_max = 400'000;

// Digits of a number's exponent: a double has three, and 1e131071 is 131,072 digits to PostgreSQL,
// which writes so many whenever it needs such a value as text.
inline constexpr int json_exponent_digits_max = 3;

// What the exponents of a text of so many bytes may come to, each without its sign: about the
// digits that PostgreSQL adds when it writes the numbers out, and it copies some values 17 times.
// 4 for each byte, as in a list of `1e-20,`, and for few extreme numbers, such as the bounds of a
// double in a schema, 64 Ki; 4 Mi at most, 70 MB with those copies.
inline constexpr int64_t json_exponents_max = int64_t{4} << 20;
constexpr int64_t json_exponents_of(int64_t bytes) {
  constexpr int64_t few = int64_t{64} << 10;
  return bytes < (json_exponents_max - few) / 4 ? 4 * bytes + few : json_exponents_max;
}

// Measures what a JSON text that comes in pieces costs to read: so much for each byte, and 20 to
// 100 times that for each value, those in objects and arrays included. Of a text that is no JSON it
// counts at least what a reader sees before it finds that out.
class JsonMeasure final {
 public:
  void add(std::string_view piece);
  int64_t values() const { return values_; }
  // Values of the largest item of a list in an object, such as a request of {"requests": [...]}; in
  // a text without such a list it is at most values().
  int64_t item_values() const {
    return item_values_max_ > item_values_ ? item_values_max_ : item_values_;
  }
  int exponent_digits() const { return exponent_digits_max_; }  // of the longest exponent
  int64_t exponents() const { return exponents_; }              // their sum, each without its sign

 private:
  void add_mark(char character);
  void add_exponent_digit(char digit);
  const char* skip_string(const char* at, const char* end);

  int64_t values_ = 1;
  int64_t item_values_ = 0;  // of the item that is being read
  int64_t item_values_max_ = 0;
  int depth_ = 0;
  int exponent_digits_ = -1;  // of the number that is being read; -1: it has no exponent so far
  int exponent_digits_max_ = 0;
  int exponent_ = 0;  // of that number, its first json_exponent_digits_max digits
  int64_t exponents_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;  // the next character, in a string
};

// Why PostgreSQL is not to read a text of `bytes`, of which `measure` has measured all or a part,
// as JSON: it has more values than `values_max`, an item of more than json_values_max, or exponents
// of too many digits or too large together. Empty: it may.
std::string json_cost_problem(const JsonMeasure& measure, size_t bytes,
                              int64_t values_max = json_values_max);

// The same of `text`. Reads no further than it must. `values`: how many it has, as far as it was
// read.
std::string json_cost_problem(std::string_view text, int64_t values_max = json_values_max,
                              int64_t* values = nullptr);

// json_cost_problem of the strings that stand in `text` at the key "request", as a task's request
// may, once their escapes are undone. `values`: of `text`, to which theirs are added; all together
// are at most `values_max`.
std::string json_requests_problem(std::string_view text, int64_t values_max, int64_t& values);

// Whether PostgreSQL takes so long to read such a JSON text that a statement with it goes by
// itself, one at a time, in turns by key: half a microsecond for a byte of many keys, and as much
// for a value. So what is below both takes a few milliseconds.
constexpr bool is_dear_json(size_t bytes, int64_t values) {
  constexpr size_t dear_bytes_min = size_t{256} << 10;
  constexpr int64_t dear_values_min = 5'000;
  return bytes >= dear_bytes_min || values >= dear_values_min;
}

}  // namespace sluice
