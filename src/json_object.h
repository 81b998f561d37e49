// Whether a text can be one JSON object, judged by its outline: UTF-8, strings and brackets. It
// does not judge numbers, words or keys: PostgreSQL does, and takes numbers that no double holds.
#pragma once

#include <string>

namespace sluice {

// Empty if `text` is outlined like one object and nothing else, else what is wrong with it.
// Never quotes `text`. May enlarge the capacity of `text`.
std::string json_object_problem(std::string& text);

}  // namespace sluice
