#include "cli/line_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "command_error.h"

namespace sluice {
namespace {

constexpr size_t block_bytes = 1 << 20;  // large enough that reading costs nothing

[[noreturn]] void throw_errno(const char* what, const std::string& path) {
  throw CommandError(ExitCode::failure,
                     fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

}  // namespace

LineReader::LineReader(const std::string& path, size_t line_bytes_max)
    : path_(path == "-" ? "standard input" : path),
      line_bytes_max_(line_bytes_max),
      fd_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) throw_errno("open", path_);
  struct stat status = {};
  if (fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) {
    bytes_total_ = static_cast<uint64_t>(status.st_size);
  }
}

LineReader::~LineReader() {
  if (fd_ > STDIN_FILENO) close(fd_);
}

bool LineReader::next(Line& line) {
  line = {number_ + 1, {}, false};
  bool begun = false;
  while (position_ < buffer_.size() || fill()) {
    begun = true;
    const size_t newline = buffer_.find('\n', position_);
    if (newline != std::string::npos) {
      keep(line, newline);
      ++position_;
      break;
    }
    keep(line, buffer_.size());
  }
  if (begun) ++number_;
  return begun;
}

void LineReader::keep(Line& line, size_t end) {
  const size_t bytes = end - position_;
  if (line.too_long || bytes > line_bytes_max_ - line.text.size()) {
    line.too_long = true;
    line.text.clear();
  } else {
    line.text.append(buffer_, position_, bytes);
  }
  position_ = end;
}

bool LineReader::fill() {
  buffer_.resize(block_bytes);
  ssize_t got = 0;
  do {
    got = read(fd_, buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw_errno("read", path_);
  buffer_.resize(static_cast<size_t>(got));
  position_ = 0;
  bytes_read_ += static_cast<uint64_t>(got);
  return got > 0;
}

}  // namespace sluice
