// Files that hold a credential: a backend's key, the key of a certificate.
#pragma once

#include <cstddef>
#include <string>

#include "file_descriptor.h"
#include "result.h"

namespace sluice {

// What is in the file, which nobody but its owner and its group may reach, at most `bytes_max`.
// Open it with O_NONBLOCK, or a named pipe is waited for. Where it could not be opened, call it at
// once: it says why by errno. Blocks; any thread. Error::refuse, to be put behind the file's name:
// not readable, no regular file, open to everybody, too large. No message holds what is in it.
Result<std::string> read_private_file(const FileDescriptor& file, size_t bytes_max);

}  // namespace sluice
