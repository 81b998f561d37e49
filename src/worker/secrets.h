// Secrets reads what sluice.models.secret refers to: env:NAME or file:/path. It owns the last
// contents of each file, and reads one anew when it has changed: a rotated key needs no restart.
// No message of it holds a secret.
//
// Thread rule: loop thread only; it reads small local files and blocks for that.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "result.h"

namespace sluice {

class Secrets final {
 public:
  // Without white space at its end. Error::refuse: not set, not readable, readable by everybody,
  // too large, empty, or nothing that fits into a header.
  Result<std::string> read(const std::string& reference);

 private:
  // What tells one version of a file from the next.
  struct Version {
    ino_t inode;
    int64_t changed_ns;
    int64_t bytes;
    bool operator==(const Version&) const = default;
  };
  struct File {
    Version version;
    std::string secret;
  };

  Result<std::string> read_file(const std::string& reference);

  std::map<std::string, File> files_;  // by reference: as many as models
};

}  // namespace sluice
