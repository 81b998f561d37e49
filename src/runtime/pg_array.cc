#include "runtime/pg_array.h"

#include <array>
#include <charconv>

namespace sluice {

namespace {

constexpr int32_t text_oid = 25;     // of type text, in every PostgreSQL
constexpr size_t count_offset = 12;  // three fields are before it

// In network byte order.
void append_int32(std::string& bytes, int32_t value) {
  const std::array<char, 4> big_endian{static_cast<char>(value >> 24),
                                       static_cast<char>(value >> 16),
                                       static_cast<char>(value >> 8), static_cast<char>(value)};
  bytes.append(big_endian.data(), big_endian.size());
}

}  // namespace

void PgArray::separate() {
  if (text_.size() > 1) text_ += ',';
}

void PgArray::add(int64_t value) {
  separate();
  text_ += std::to_string(value);
}

void PgArray::add(bool value) {
  separate();
  text_ += value ? 't' : 'f';
}

void PgArray::add_null() {
  separate();
  text_ += "NULL";
}

std::string PgArray::text() {
  text_ += '}';
  return std::move(text_);
}

// As array_recv() of the server reads it: dimensions, whether there are nulls, the type; the
// dimension's length, known at the end, and first index; then the elements, each after its length.
PgTextArray::PgTextArray() {
  for (int32_t field : {1, 1, text_oid, 0, 1}) append_int32(bytes_, field);
}

void PgTextArray::reserve(size_t values, size_t bytes) {
  bytes_.reserve(bytes_.size() + values * sizeof(int32_t) + bytes);
}

void PgTextArray::add(std::string_view value) {
  append_int32(bytes_, static_cast<int32_t>(value.size()));
  bytes_ += value;
  ++count_;
}

void PgTextArray::add_null() {
  append_int32(bytes_, -1);
  ++count_;
}

PgParam PgTextArray::param() {
  std::string count;
  append_int32(count, count_);
  bytes_.replace(count_offset, count.size(), count);
  return PgParam::binary(std::move(bytes_));
}

PgParam pg_array(const std::vector<std::string>& values) {
  PgTextArray array;
  for (const std::string& value : values) array.add(value);
  return array.param();
}

std::string pg_array(const std::vector<int64_t>& values) {
  PgArray array;
  for (int64_t value : values) array.add(value);
  return array.text();
}

std::string pg_array(const std::vector<int>& values) {
  PgArray array;
  for (int value : values) array.add(int64_t{value});
  return array.text();
}

std::vector<int> int_array(std::string_view text) {
  std::vector<int> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error == std::errc()) {
      values.push_back(value);
      at = next;
    } else {
      ++at;  // a brace or a comma
    }
  }
  return values;
}

}  // namespace sluice
