// Reads what clients write into paths, query strings and bodies: numbers, durations, JSON. Pure; a
// text that it does not understand completely is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/http_fields.h"

namespace sluice {

// A decimal number of at least 1, behind `prefix`.
std::optional<int64_t> parse_id(std::string_view text, std::string_view prefix = {});

// A number from `min` to `max`, or a duration such as 30s, in ms, from 0 to `max_ms`: longer ones
// are cut to it.
std::optional<int> parse_count(std::string_view text, int min, int max);
std::optional<int64_t> parse_poll_ms(std::string_view text, int64_t max_ms);

// At most the first `bytes_max` bytes of `text`, which is UTF-8, and no half character.
std::string_view first_bytes(std::string_view text, size_t bytes_max);

// `value` as a message repeats it: in quotes, up to its first control character, 50 bytes at most.
std::string in_quotes(std::string_view value);

// Whether PostgreSQL takes `text`: UTF-8, without NUL.
bool is_storable(std::string_view text);

enum class JsonOutline { object, array, neither };
// The kind of JSON that the first character of `body` that is no blank begins.
JsonOutline json_outline(std::string_view body);

// The fields of the object `body` as their JSON texts, cut to 100 bytes; none if it is no object.
HttpFields json_fields(std::string& body);

// Whether the object `body` has `name`: true, the first of that name. May enlarge the capacity of
// `body`.
bool json_flag(std::string& body, std::string_view name);

}  // namespace sluice
