#include "json_object.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace sluice {
namespace {

namespace ondemand = simdjson::ondemand;

// Walks over the fields without looking at the values, then makes sure that nothing follows: else
// one line could smuggle in two tasks ({…},{…}), and the ids would belong to the wrong lines.
simdjson::error_code outline_error(std::string& text, int keys_max) {
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
  }
  const char* rest = nullptr;
  const bool at_end = document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
  return at_end ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

}  // namespace

std::string json_object_problem(std::string& text, int keys_max) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  switch (outline_error(text, keys_max)) {
    case simdjson::SUCCESS:
      return "";
    case simdjson::UTF8_ERROR:
      return "invalid UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "not JSON: a string is not closed";
    case simdjson::UNESCAPED_CHARS:
      return "not JSON: a control character in a string";
    case simdjson::CAPACITY:
      return fmt::format("an object of more than {} keys", keys_max);
    default:
      return "not a JSON object";
  }
}

void JsonValueCount::add(std::string_view piece) {
  for (const char character : piece) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (character == '"') {
      in_string_ = !in_string_;
    } else if (in_string_) {
      is_escaped_ = character == '\\';
    } else if (character == ',' || character == '[' || character == '{') {
      ++count_;
    }
  }
}

}  // namespace sluice
