#include "api/api_key.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <charconv>
#include <vector>

#include "command_error.h"
#include "hex.h"

namespace sluice {
namespace {

constexpr std::string_view prefix = "sluice_";
constexpr size_t id_bytes = 8;
constexpr size_t secret_bytes = 32;
constexpr size_t id_at = prefix.size();
constexpr size_t secret_at = id_at + 2 * id_bytes + 1;
constexpr size_t key_length = secret_at + 2 * secret_bytes;

std::string random_hex(size_t count) {
  std::vector<unsigned char> bytes(count);
  if (RAND_bytes(bytes.data(), static_cast<int>(count)) != 1) {
    throw CommandError(ExitCode::failure, "the system gives no random bytes");
  }
  return hex(bytes);
}

}  // namespace

NewKey make_key() {
  NewKey key;
  key.id = random_hex(id_bytes);
  key.text = std::string(prefix) + key.id + "_" + random_hex(secret_bytes);
  key.sha256 = hex(sha256(key.text));
  return key;
}

std::optional<std::string_view> key_id(std::string_view text) {
  if (text.size() != key_length || !text.starts_with(prefix) || text[secret_at - 1] != '_' ||
      !is_hex(text.substr(id_at, 2 * id_bytes)) || !is_hex(text.substr(secret_at))) {
    return std::nullopt;
  }
  return text.substr(id_at, 2 * id_bytes);
}

Sha256 parse_digest(std::string_view hexadecimal) {
  Sha256 digest{};
  if (hexadecimal.size() != 2 * digest.size() || !is_hex(hexadecimal)) return digest;
  for (size_t i = 0; i < digest.size(); ++i) {
    std::from_chars(&hexadecimal[2 * i], &hexadecimal[2 * i] + 2, digest[i], 16);
  }
  return digest;
}

bool same_digest(const Sha256& a, const Sha256& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view to_text(Scope scope) {
  switch (scope) {
    case Scope::submit:
      return "submit";
    case Scope::read:
      return "read";
    case Scope::admin:
      return "admin";
  }
  return "";
}

bool Caller::may(Scope scope) const {
  switch (scope) {
    case Scope::submit:
      return is_admin || may_submit;
    case Scope::read:
      return is_admin || may_read;
    case Scope::admin:
      return is_admin;
  }
  return false;
}

}  // namespace sluice
