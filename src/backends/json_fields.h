// Reading fields of parsed JSON that may or may not be there: what is absent or of another type is
// empty. Owns nothing; texts live as long as their parser.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

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
