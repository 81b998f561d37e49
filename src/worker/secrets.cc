#include "worker/secrets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/clock.h"

namespace sluice {

namespace {

constexpr std::string_view env_prefix = "env:";
constexpr std::string_view file_prefix = "file:";

// Longer than any token; a wrong path must not fill the memory, or the requests' headers.
constexpr size_t secret_bytes_max = size_t{16} * 1024;

class Descriptor final {
 public:
  // Without O_NONBLOCK the opening of a named pipe would wait for its writer.
  explicit Descriptor(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> refused(std::string_view reference, std::string_view reason) {
  return tl::unexpected(
      Error{Error::Action::refuse, "", fmt::format("secret {} {}", reference, reason)});
}

Result<std::string> checked(std::string_view reference, std::string secret) {
  secret.resize(secret.find_last_not_of(" \t\r\n") + 1);
  if (secret.empty()) return refused(reference, "is empty");
  if (secret.size() > secret_bytes_max) return refused(reference, "is too long for a secret");
  const bool is_printable = std::all_of(secret.begin(), secret.end(),
                                        [](unsigned char c) { return c > 0x20 && c != 0x7F; });
  if (!is_printable) return refused(reference, "holds white space or control characters");
  return secret;
}

}  // namespace

Result<std::string> Secrets::read(const std::string& reference) {
  if (reference.starts_with(file_prefix)) return read_file(reference);
  if (!reference.starts_with(env_prefix)) return refused(reference, "is neither env: nor file:");
  const char* value = std::getenv(reference.c_str() + env_prefix.size());
  if (value == nullptr) return refused(reference, "is not set in the worker's environment");
  return checked(reference, value);
}

Result<std::string> Secrets::read_file(const std::string& reference) {
  const Descriptor file(reference.substr(file_prefix.size()));
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) {
    return refused(reference, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) return refused(reference, "is no regular file");
  if ((status.st_mode & S_IRWXO) != 0) {
    return refused(reference, "is open to everybody: chmod o-rwx it");
  }
  const Version version{status.st_ino, status.st_ctim.tv_sec * ns_per_s + status.st_ctim.tv_nsec,
                        status.st_size};
  const auto known = files_.find(reference);
  if (known != files_.end() && known->second.version == version) return known->second.secret;

  std::string bytes(secret_bytes_max + 1, '\0');
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  if (got < 0) return refused(reference, fmt::format("cannot be read: {}", std::strerror(errno)));
  bytes.resize(static_cast<size_t>(got));
  Result<std::string> secret = checked(reference, std::move(bytes));
  if (secret) files_.insert_or_assign(reference, File{version, *secret});
  return secret;
}

}  // namespace sluice
