// PostgreSQL's text form of one-dimensional arrays, for parameters that carry many rows in one
// statement. Owns nothing; knows no types: the statement casts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Collects elements; text() is the array literal.
class PgArray final {
 public:
  void add(int64_t value);
  void add(bool value);
  void add(std::string_view value);
  void add_null();
  template <class T>
  void add(const std::optional<T>& value) {
    if (value) {
      add(*value);
    } else {
      add_null();
    }
  }
  void add(const char*) = delete;  // would become a bool

  // Call once, at the end.
  std::string text();

 private:
  void separate();
  std::string text_ = "{";
};

std::string pg_array(const std::vector<std::string>& values);
std::string pg_array(const std::vector<int64_t>& values);
std::string pg_array(const std::vector<int>& values);

// Reads '{1,2,3}'. Requires an array of integers without nulls.
std::vector<int> int_array(std::string_view text);

}  // namespace sluice
