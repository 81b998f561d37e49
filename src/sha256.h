// SHA-256 of a text.
#pragma once

#include <openssl/sha.h>

#include <array>
#include <string_view>

namespace sluice {

using Sha256 = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

inline Sha256 sha256(std::string_view text) {
  Sha256 digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

}  // namespace sluice
