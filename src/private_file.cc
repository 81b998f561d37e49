#include "private_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sluice {
namespace {

tl::unexpected<Error> refused(std::string reason) {
  return tl::unexpected(Error{Error::Action::refuse, "", std::move(reason)});
}

tl::unexpected<Error> unreadable() {
  return refused(fmt::format("cannot be read: {}", std::strerror(errno)));
}

Result<std::string> read_whole(const FileDescriptor& file, size_t bytes_max, bool is_private) {
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return unreadable();
  if (!S_ISREG(status.st_mode)) return refused("is no regular file");
  if (is_private && (status.st_mode & S_IRWXO) != 0) {
    return refused("is open to everybody: chmod o-rwx it");
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size > bytes_max) return refused(fmt::format("is longer than {} bytes", bytes_max));
  std::string bytes(size, '\0');
  const ssize_t got = read(file.get(), bytes.data(), bytes.size());
  if (got < 0) return unreadable();
  bytes.resize(static_cast<size_t>(got));
  return bytes;
}

}  // namespace

Result<std::string> read_private_file(const FileDescriptor& file, size_t bytes_max) {
  return read_whole(file, bytes_max, true);
}

Result<std::string> read_public_file(const FileDescriptor& file, size_t bytes_max) {
  return read_whole(file, bytes_max, false);
}

}  // namespace sluice
