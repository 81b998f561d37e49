#include "json_object.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "hex.h"

namespace sluice {
namespace {

namespace ondemand = simdjson::ondemand;

// Of a list in an object, that is what stands between its items.
constexpr int list_depth = 2;

// Walks over the fields without looking at the values, then makes sure that nothing follows: else
// one line could smuggle in two tasks ({…},{…}), and the ids would belong to the wrong lines.
simdjson::error_code outline_error(std::string& text, int keys_max, std::string_view name,
                                   bool* has) {
  ondemand::parser parser;
  ondemand::document document;
  const simdjson::padded_string_view padded(text.data(), text.size(), text.capacity());
  if (const auto error = parser.iterate(padded).get(document)) return error;
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  int keys = 0;
  for (auto field : object) {
    if (const auto error = field.error()) return error;
    if (++keys > keys_max) return simdjson::CAPACITY;
    std::string_view key;
    if (has != nullptr && field.unescaped_key().get(key) == simdjson::SUCCESS) {
      *has = *has || key == name;
    }
  }
  const char* rest = nullptr;
  const bool at_end = document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
  return at_end ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

constexpr std::array<bool, 256> marks = [] {
  std::array<bool, 256> table{};
  for (const char mark : std::string_view("\"[]{},eE"))
    table[static_cast<unsigned char>(mark)] = true;
  return table;
}();

// Outside strings and exponents, others say nothing.
bool is_marked(char character) {
  return marks[static_cast<unsigned char>(character)];
}

// Requires: there are characters. They are looked at in blocks, without a branch among them,
// because compilers make vector instructions of that: most bytes of large bodies are in strings.
const char* find_quote_or_backslash(const char* at, const char* end) {
  constexpr ptrdiff_t block = 32;
  if (*at == '"' || *at == '\\') return at;
  for (; end - at >= block; at += block) {
    unsigned char found = 0;
    for (ptrdiff_t i = 0; i < block; ++i) {
      found |= static_cast<unsigned char>(static_cast<unsigned char>(at[i] == '"') |
                                          static_cast<unsigned char>(at[i] == '\\'));
    }
    if (found != 0) break;
  }
  return std::find_if(at, end, [](char c) { return c == '"' || c == '\\'; });
}

bool is_space(char character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

// What the escape at `at`, a backslash, stands for, and how long it is. What is not ASCII, or no
// escape, is told as a letter: marks of JSON are ASCII.
struct Escape {
  char character;
  ptrdiff_t length;
};
Escape escape_at(const char* at, const char* end) {
  constexpr ptrdiff_t unicode_length = 6;
  if (end - at < 2) return {'x', end - at};
  switch (at[1]) {
    case 'b':
    case 'f':
      return {'x', 2};
    case 'n':
    case 'r':
    case 't':
      return {' ', 2};
    case 'u':
      break;
    default:
      return {at[1], 2};
  }
  if (end - at < unicode_length) return {'x', end - at};
  const bool is_ascii = at[2] == '0' && at[3] == '0' && at[4] >= '0' && at[4] <= '7';
  const int low = hex_digit(at[5]);
  if (!is_ascii || low < 0) return {'x', unicode_length};
  return {static_cast<char>((at[4] - '0') * 16 + low), unicode_length};
}

// Reads a string from behind its quote on, and gives its text, without escapes, in pieces to
// `take`, until that returns false. Returns the place behind the closing quote, or `end`.
template <typename Take>
const char* read_string(const char* at, const char* end, Take take) {
  std::array<char, 4096> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read as written
  size_t length = 0;
  bool goes_on = true;
  while (at != end && goes_on && *at != '"') {
    if (*at == '\\') {
      const Escape escape = escape_at(at, end);
      piece[length++] = escape.character;
      at += escape.length;
    } else {
      const char* const next = find_quote_or_backslash(at, end);
      const auto run =
          std::min<ptrdiff_t>(next - at, std::ssize(piece) - static_cast<ptrdiff_t>(length));
      std::copy_n(at, run, piece.data() + length);
      length += static_cast<size_t>(run);
      at += run;
    }
    if (length == piece.size()) {
      goes_on = take(std::string_view(piece.data(), std::exchange(length, 0)));
    }
  }
  if (goes_on && length > 0) take(std::string_view(piece.data(), length));
  return at == end ? end : at + 1;
}

// Whether the string behind a quote is `name`, however it is escaped.
bool is_named(const char* at, const char* end, std::string_view name) {
  for (const char character : name) {
    if (at == end || *at == '"') return false;
    const Escape next = *at == '\\' ? escape_at(at, end) : Escape{*at, 1};
    if (next.character != character) return false;
    at += next.length;
  }
  return at != end && *at == '"';
}

// The place behind the closing quote of the string behind a quote, or `end`.
const char* behind_string(const char* at, const char* end) {
  while (at != end) {
    at = find_quote_or_backslash(at, end);
    if (at == end || *at == '"') break;
    at += std::min<ptrdiff_t>(2, end - at);
  }
  return at == end ? end : at + 1;
}

// Where a text ends whose brackets are not all closed, in words; empty: they are.
std::string cut_text(std::string_view text) {
  int64_t depth = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const char mark = *at++;
    if (mark == '"') at = behind_string(at, end);
    if (mark == '{' || mark == '[') ++depth;
    if (mark == '}' || mark == ']') --depth;
  }
  return depth > 0 ? fmt::format(": it ends at byte {}, before the object does", text.size()) : "";
}

}  // namespace

std::string json_object_problem(std::string& text, int keys_max, std::string_view name, bool* has) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  if (has != nullptr) *has = false;
  switch (outline_error(text, keys_max, name, has)) {
    case simdjson::SUCCESS:
      return "";
    case simdjson::UTF8_ERROR:
      return "invalid UTF-8";
    case simdjson::UNCLOSED_STRING:
      return fmt::format("not JSON: a string is not closed where it ends, at byte {}", text.size());
    case simdjson::UNESCAPED_CHARS:
      return "not JSON: a control character in a string";
    case simdjson::CAPACITY:
      return fmt::format("an object of more than {} keys", keys_max);
    default:
      return "not a JSON object" + cut_text(text);
  }
}

void JsonMeasure::add(std::string_view piece) {
  JsonMeasure measure = *this;  // a local one is kept in registers
  const char* const end = piece.data() + piece.size();
  for (const char* at = piece.data(); at != end;) {
    if (measure.in_string_) {
      at = measure.skip_string(at, end);
    } else if (measure.exponent_digits_ < 0 && !is_marked(*at)) {
      ++at;
    } else {
      measure.add_mark(*at++);
    }
  }
  *this = measure;
}

// To its end, or that of the piece.
const char* JsonMeasure::skip_string(const char* at, const char* end) {
  for (; at != end; ++at) {
    if (is_escaped_) {
      is_escaped_ = false;
      continue;
    }
    at = find_quote_or_backslash(at, end);
    if (at == end) break;
    is_escaped_ = *at == '\\';
    in_string_ = is_escaped_;
    if (!in_string_) return at + 1;
  }
  return end;
}

void JsonMeasure::add_mark(char character) {
  switch (character) {
    case '"':
      in_string_ = true;
      break;
    case '[':
    case '{':
      ++depth_;
      ++values_;
      ++item_values_;
      break;
    case ']':
    case '}':
      --depth_;
      break;
    case ',':
      ++values_;
      ++item_values_;
      if (depth_ > list_depth) break;
      item_values_max_ = std::max(item_values_max_, item_values_);
      item_values_ = 0;
      break;
    case 'e':
    case 'E':
      exponent_digits_ = 0;
      exponent_ = 0;
      return;
    default:
      break;
  }
  if (exponent_digits_ < 0) return;
  if (character >= '0' && character <= '9') {
    add_exponent_digit(character);
  } else if (character != '+' && character != '-') {
    exponent_digits_ = -1;
  }
}

// The sum is right at each digit: there may be no more.
void JsonMeasure::add_exponent_digit(char digit) {
  exponent_digits_max_ = std::max(exponent_digits_max_, ++exponent_digits_);
  if (exponent_digits_ > json_exponent_digits_max) return;
  exponents_ -= exponent_;
  exponent_ = exponent_ * 10 + (digit - '0');
  exponents_ += exponent_;
}

std::string json_cost_problem(const JsonMeasure& measure, size_t bytes, int64_t values_max) {
  if (measure.values() > values_max) return fmt::format("more than {} JSON values", values_max);
  if (measure.item_values() > json_values_max) {
    return fmt::format("an item of more than {} JSON values", json_values_max);
  }
  if (measure.exponent_digits() > json_exponent_digits_max) {
    return fmt::format("a number with an exponent of more than {} digits",
                       json_exponent_digits_max);
  }
  const int64_t exponents_max = json_exponents_of(static_cast<int64_t>(bytes));
  if (measure.exponents() > exponents_max) {
    return fmt::format("numbers whose exponents come to more than {}", exponents_max);
  }
  return "";
}

std::string json_cost_problem(std::string_view text, int64_t values_max, int64_t* values) {
  constexpr size_t piece_bytes = size_t{64} << 10;
  const size_t bytes = text.size();
  JsonMeasure measure;
  std::string problem;
  while (!text.empty() && problem.empty()) {
    const size_t taken = std::min(piece_bytes, text.size());
    measure.add(text.substr(0, taken));
    text.remove_prefix(taken);
    problem = json_cost_problem(measure, bytes, values_max);
  }
  if (values != nullptr) *values = measure.values();
  return problem;
}

std::string json_requests_problem(std::string_view text, int64_t values_max, int64_t& values) {
  const char* const end = text.data() + text.size();
  const auto skip_spaces = [end](const char* at) { return std::find_if_not(at, end, is_space); };
  // Of JSON each value may have a key, and each may be a string.
  int64_t strings_left = 2 * values_max;
  for (const char* at = text.data(); (at = std::find(at, end, '"')) != end;) {
    if (strings_left-- == 0) return fmt::format("more than {} strings", 2 * values_max);
    const char* const key = at + 1;
    at = skip_spaces(behind_string(key, end));
    if (at == end || *at != ':' || !is_named(key, end, "request")) continue;
    at = skip_spaces(at + 1);
    if (at == end || *at != '"') continue;
    JsonMeasure measure;
    std::string problem;
    const char* const begin = at + 1;
    at = read_string(begin, end, [&](std::string_view piece) {
      measure.add(piece);
      problem = measure.values() > values_max - values
                    ? fmt::format("more than {} JSON values, the body's counted", values_max)
                    : json_cost_problem(measure, static_cast<size_t>(end - begin));
      return problem.empty();
    });
    if (!problem.empty()) return problem;
    values += measure.values();
  }
  return "";
}

}  // namespace sluice
