// Reads JSON from outside, with fields that may be missing: a field that is absent or of another
// type is empty. Texts live as long as their parser.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Parses `text` as simdjson does, but for integers that 64 bits do not hold: they are read as
// floating-point numbers, as JavaScript reads them, where simdjson refuses the whole text; so are
// others of 19 digits beside one. Without a copy where a string has room for what the parser reads
// beyond it.
simdjson::simdjson_result<simdjson::dom::element> parse_json(simdjson::dom::parser& parser,
                                                             const std::string& text);
simdjson::simdjson_result<simdjson::dom::element> parse_json(simdjson::dom::parser& parser,
                                                             std::string_view text);

// Parses one text at a time with the thread's own parser, which is kept: to make one takes longer
// than to read a usual answer with it. Elements live as long as this. Requires: no other one lives
// on this thread.
class JsonReader final {
 public:
  JsonReader() = default;
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;
  // A giant's memory goes with it.
  ~JsonReader() {
    if (parser().capacity() > kept_bytes_max) parser() = simdjson::dom::parser();
  }

  // nullopt: it is not JSON. `text`: a string or a view, as parse_json takes it.
  std::optional<simdjson::dom::element> read(const auto& text) {
    simdjson::dom::element element;
    if (parse_json(parser(), text).get(element) != simdjson::SUCCESS) return std::nullopt;
    return element;
  }

 private:
  static constexpr size_t kept_bytes_max = size_t{256} << 10;  // the parser takes 15 times as much

  static simdjson::dom::parser& parser() {
    thread_local simdjson::dom::parser kept;
    return kept;
  }
};

// nullopt: absent, or null.
inline std::optional<simdjson::dom::element> field_of(const simdjson::dom::element& object,
                                                      std::string_view name) {
  simdjson::dom::element value;
  if (object[name].get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

inline std::optional<std::string_view> text_of(const simdjson::dom::element& object,
                                               std::string_view name) {
  std::string_view text;
  if (object[name].get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

inline std::optional<int64_t> int_of(const simdjson::dom::element& object, std::string_view name) {
  int64_t number = 0;
  if (object[name].get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

inline std::optional<simdjson::dom::array> array_of(const simdjson::dom::element& object,
                                                    std::string_view name) {
  simdjson::dom::array array;
  if (object[name].get(array) != simdjson::SUCCESS) return std::nullopt;
  return array;
}

}  // namespace sluice
