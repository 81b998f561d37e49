#include "backends/json_fields.h"

#include <algorithm>

namespace sluice {

namespace {

using simdjson::dom::element;
using simdjson::dom::parser;

constexpr size_t digits_always_held = 18;  // of an integer of 64 bits

constexpr std::string_view number_characters = "+-.0123456789Ee";

// `text`, which need not be JSON, with an exponent of 0 behind every longer integer.
std::string with_long_integers_as_floats(std::string_view text) {
  std::string floats;
  floats.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  bool in_string = false;
  for (size_t at = 0; at < text.size();) {
    size_t length = in_string && text[at] == '\\' ? 2 : 1;
    if (text[at] == '"') in_string = !in_string;
    if (!in_string && number_characters.find(text[at]) != std::string_view::npos) {
      length = std::min(text.find_first_not_of(number_characters, at), text.size()) - at;
    }
    const std::string_view piece = text.substr(at, length);
    floats += piece;
    if (!in_string && length > digits_always_held &&
        piece.find_first_of(".Ee") == std::string_view::npos) {
      floats += "e0";
    }
    at += length;
  }
  return floats;
}

simdjson::simdjson_result<element> again_with_floats(
    parser& parser, std::string_view text, const simdjson::simdjson_result<element>& parsed) {
  // Which error it is depends on simdjson's version.
  if (parsed.error() == simdjson::SUCCESS) return parsed;
  const std::string floats = with_long_integers_as_floats(text);
  if (floats.size() == text.size()) return parsed;
  return parser.parse(floats);
}

}  // namespace

simdjson::simdjson_result<element> parse_json(parser& parser, const std::string& text) {
  return again_with_floats(parser, text, parser.parse(text));
}

simdjson::simdjson_result<element> parse_json(parser& parser, std::string_view text) {
  return again_with_floats(parser, text, parser.parse(text.data(), text.size()));
}

}  // namespace sluice
