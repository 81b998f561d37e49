// Files that hold a credential: a backend's key, the key of a certificate.
#pragma once

#include <cstddef>
#include <string>

#include "file_descriptor.h"
#include "result.h"

namespace sluice {

// Reads a file that only its owner and its group may reach, at most `bytes_max`. Open it with
// O_NONBLOCK, or a named pipe blocks. If opening failed, call this at once: the error is taken from
// errno. Blocks; any thread. Error::refuse, to be put behind the file's name: not readable, no
// regular file, open to everybody, too large. No message quotes the content.
Result<std::string> read_private_file(const FileDescriptor& file, size_t bytes_max);

// The same for what everybody may read: a certificate.
Result<std::string> read_public_file(const FileDescriptor& file, size_t bytes_max);

}  // namespace sluice
