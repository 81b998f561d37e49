#include "api/arguments.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "command_error.h"
#include "duration.h"

namespace sluice {
namespace {

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int64_t> parse_id(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  const auto id = parse_number(text);
  return id && *id >= 1 ? id : std::nullopt;
}

std::optional<int> parse_count(std::string_view text, int min, int max) {
  const auto number = parse_number(text);
  if (!number || *number < min || *number > max) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<int64_t> parse_poll_ms(std::string_view text, int64_t max_ms) {
  try {
    return std::min(parse_duration_ms(std::string(text)), max_ms);
  } catch (const CommandError&) {
    return std::nullopt;
  }
}

std::string_view first_bytes(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xC0) == 0x80) --bytes_max;
  return text.substr(0, bytes_max);
}

std::string in_quotes(std::string_view value) {
  constexpr size_t value_bytes_max = 50;
  const auto control = std::find_if(value.begin(), value.end(),
                                    [](unsigned char c) { return c < ' ' || c == 0x7f; });
  const auto plain = static_cast<size_t>(control - value.begin());
  const std::string_view shown = first_bytes(value.substr(0, plain), value_bytes_max);
  return '"' + std::string(shown) + (shown.size() < value.size() ? "…\"" : "\"");
}

bool is_storable(std::string_view text) {
  return text.find('\0') == std::string_view::npos &&
         simdjson::validate_utf8(text.data(), text.size());
}

JsonOutline json_outline(std::string_view body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return JsonOutline::neither;
  if (body[first] == '{') return JsonOutline::object;
  return body[first] == '[' ? JsonOutline::array : JsonOutline::neither;
}

HttpFields json_fields(std::string& body) {
  constexpr size_t value_bytes_max = 100;
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  HttpFields fields;
  if (parser.parse(simdjson::padded_string_view(body)).get(object) != simdjson::SUCCESS) return {};
  for (const auto& [key, value] : object) {
    const std::string text = simdjson::minify(value);
    fields.emplace_back(key, first_bytes(text, value_bytes_max));
  }
  return fields;
}

bool json_flag(std::string& body, std::string_view name) {
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  bool flag = false;
  const auto error = parser.iterate(simdjson::padded_string_view(body)).get(document);
  return error == simdjson::SUCCESS && document[name].get(flag) == simdjson::SUCCESS && flag;
}

}  // namespace sluice
