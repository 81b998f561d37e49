// API keys: their form, their hash, and who a key makes its bearer. Pure but for the random bytes
// of a new one; knows no database.
//
// A key is "sluice_", 16 hexadecimal digits that name it, "_", and 64 that are secret.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sha256.h"

namespace sluice {

enum class Scope { submit, read, admin };

// As `sluice key create --scope` takes it.
std::string_view to_text(Scope scope);

struct NewKey {
  std::string text;  // shown once
  std::string id;
  std::string sha256;  // hexadecimal
};

// From the system's random source. Throws CommandError when there is none.
NewKey make_key();

// The part that names the key; nullopt when `text` has not the form of a key.
std::optional<std::string_view> key_id(std::string_view text);

// Of `hexadecimal` as the database stores it; all zeros when it is malformed.
Sha256 parse_digest(std::string_view hexadecimal);

// Takes as long for any two digests.
bool same_digest(const Sha256& a, const Sha256& b);

// The rights of a request.
struct Caller {
  std::optional<std::string> key_id;  // nullopt: no key was asked for
  std::optional<std::string> name;    // of the key
  std::optional<std::string> tenant;  // nullopt: every tenant
  bool may_submit = false;
  bool may_read = false;
  bool is_admin = false;  // may all

  bool may(Scope scope) const;
};

}  // namespace sluice
