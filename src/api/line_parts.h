// LineParts cuts a text that arrives in pieces into parts of whole lines, as sluice.file_part
// stores them. It owns the text not yet returned, which is bounded by its user taking parts as they
// are ready. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "json_object.h"

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

  // The first fault of a line; empty: none so far. The rest of a faulty text is not kept.
  std::string_view problem() const { return problem_; }
  int64_t bytes() const { return bytes_; }  // so far

  static constexpr size_t line_bytes_max = size_t{16} << 20;

 private:
  void look_at_line(bool is_whole);
  void end_line();
  void close_part();

  Part open_;
  int64_t open_exponents_ = 0;  // of its whole lines
  size_t line_bytes_ = 0;       // of the line at the end of open_
  JsonMeasure line_measure_;
  int64_t bytes_ = 0;
  std::string problem_;
  std::deque<Part> ready_;
};

}  // namespace sluice
