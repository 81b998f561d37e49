// LineParts cuts a text that comes in pieces into parts of whole lines, as sluice.file_part keeps
// them. Owns what it has not given away; bounded by who takes the parts as they are ready. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

class LineParts final {
 public:
  struct Part {
    std::string text;
    int lines = 0;
  };

  void add(std::string_view piece);
  // The text is over: its last line may lack its end.
  void end();
  std::optional<Part> take();  // the next one that is ready

  bool has_too_long_a_line() const { return too_long_; }
  int64_t bytes() const { return bytes_; }  // so far

  static constexpr size_t line_bytes_max = size_t{16} << 20;

 private:
  void close_part();

  Part open_;
  size_t line_bytes_ = 0;  // of the line at the end of open_
  int64_t bytes_ = 0;
  bool too_long_ = false;
  std::deque<Part> ready_;
};

}  // namespace sluice
