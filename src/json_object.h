// Whether a text can be one JSON object, judged by its outline: UTF-8, strings and brackets. It
// does not judge numbers, words or keys: PostgreSQL does, and takes numbers that no double holds.
#pragma once

#include <string>

namespace sluice {

// No object that is sent here has a tenth as many keys. PostgreSQL takes 2 us for each, and holds
// up others meanwhile.
inline constexpr int json_keys_max = 1000;

// Empty if `text` is outlined like one object of at most `keys_max` keys and nothing else, else
// what is wrong with it. Never quotes `text`. May enlarge the capacity of `text`.
std::string json_object_problem(std::string& text, int keys_max = json_keys_max);

}  // namespace sluice
