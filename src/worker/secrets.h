// Secrets reads what sluice.models.secret refers to: env:NAME or file:/path. The
// configuration of models chooses both the reference and the URL, so the operator of the process
// that holds the secret bounds both: which variables and files may be named, and where each may be
// sent.
//
// A secret is read at each use: a rotated key needs no restart. No message holds one.
//
// Thread rule: any thread, no two at once; it reads small local files and blocks for that.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "result.h"
#include "runtime/endpoint.h"

namespace sluice {

// Where a secret may be sent: REFERENCE=HOST, as in env:ACME_KEY=api.acme.example. HOST is a host,
// host:port or such a URL; https and its port unless it says otherwise. *.HOST: those below it.
struct SecretHost {
  std::string reference;
  Endpoint endpoint;
};

// Error::refuse: what is wrong with the text.
Result<SecretHost> secret_host_of(const std::string& text);

struct SecretBounds {
  // Variables that begin so may be named, and the well-known ones of providers.
  std::vector<std::string> env_prefixes = {"SLUICE_SECRET_"};
  // Absolute. Files below may be named; no link leads out.
  std::vector<std::string> directories = {"/run/secrets"};
  // A reference that is named here goes there and nowhere else. Others: a well-known variable to
  // its provider, everything else to any of those providers.
  std::vector<SecretHost> hosts = {};
};

class Secrets final {
 public:
  explicit Secrets(SecretBounds bounds);

  // For a request to `url`; without white space at its end. Error::refuse: out of bounds, which the
  // message says with the flag that would allow it; not set, not readable, readable by everybody,
  // too long, empty, or nothing that fits into a header. One that is too short to be taken out of
  // what comes back (see Redaction) is warned of once, by its reference.
  Result<std::string> read(const std::string& reference, const std::string& url) const;

 private:
  Result<void> check_name(const std::string& reference) const;
  Result<void> check_host(const std::string& reference, const std::string& url) const;
  // Of our directories; null: it is below none.
  const std::string* directory_above(const std::string& path) const;
  Result<std::string> read_file(const std::string& reference) const;
  void warn_if_short(const std::string& reference, const std::string& secret) const;

  SecretBounds bounds_;
  std::map<std::string, std::vector<Endpoint>> hosts_;  // by reference
  std::vector<Endpoint> providers_;
  mutable std::set<std::string> warned_of_;  // references
};

}  // namespace sluice
