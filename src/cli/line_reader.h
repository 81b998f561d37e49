// Lines of a file or of standard input, one at a time and never longer than asked for. It owns the
// file; it knows nothing of what the lines mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice {

class LineReader final {
 public:
  struct Line {
    size_t number = 0;  // from 1
    std::string text;   // without its newline; empty if too_long
    bool too_long = false;
  };

  // `path`: a file, or "-" for standard input. Throws CommandError(failure) if it cannot be opened.
  LineReader(const std::string& path, size_t line_bytes_max);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // False at the end. A line that is too long is read to its end, and not kept.
  // Throws CommandError(failure) if the file cannot be read.
  bool next(Line& line);

  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t bytes_total() const { return bytes_total_; }  // 0: unknown, as in a pipe

 private:
  bool fill();  // false at the end
  void keep(Line& line, size_t end);

  std::string path_;
  size_t line_bytes_max_;
  int fd_;
  std::string buffer_;
  size_t position_ = 0;  // in buffer_
  size_t number_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t bytes_total_ = 0;
};

}  // namespace sluice
