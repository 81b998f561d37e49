// FileDescriptor owns an open file descriptor and closes it.
#pragma once

#include <unistd.h>

#include <utility>

namespace sluice {

class FileDescriptor final {
 public:
  FileDescriptor() = default;
  // Negative: none. errno stays what it is.
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace sluice
