// TrustStore holds the certificate authorities that TLS connections trust, read once for all of
// them: parsing the system's takes 40 ms, and curl would do it for each connection. They are read
// on another thread, and again when their file or directory has changed, so that a worker that runs
// for months follows the system's trust.
//
// The file is SSL_CERT_FILE or else curl's built-in one; the directory (of files named by hashes,
// each read when it is needed) is SSL_CERT_DIR or else curl's, as in OpenSSL's own programs. The
// portable file's curl has none built in, for it does not know where it will run: it takes what
// find_authorities() finds (D-314).
//
// Thread rule: loop thread only. The clock outlives it. Connections keep the store they began with.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <string>

#include "result.h"
#include "runtime/clock.h"
#include "runtime/co.h"

struct x509_store_st;

namespace sluice {

struct AuthorityPaths {
  std::string file;       // empty: none, the directory is there
  std::string directory;  // empty: none
};

// Looks where distributions keep the authorities that they trust, below `root` (empty: /). Where
// nothing is, names the most usual file, which the error of whoever reads it then tells.
AuthorityPaths find_authorities(const std::string& root);

class TrustStore final {
 public:
  using Store = std::shared_ptr<x509_store_st>;

  // How often it is asked, at most, whether something has changed.
  static constexpr int64_t look_interval_ms = 10'000;

  explicit TrustStore(Clock& clock);

  // Waits while they are read. Errors, each tried again by the next call: refuse, the file cannot
  // be read; retry_later, there is no thread to be had.
  Co<Result<Store>> get();

 private:
  void look();
  void take();
  void keep(Result<Store> read);
  std::string stamp() const;

  Clock& clock_;
  std::string file_;
  std::string directory_;
  Result<Store> store_ = Store();
  std::string stamp_;  // of what was read last
  int64_t looked_ns_ = 0;
  std::future<Result<Store>> reading_;
};

}  // namespace sluice
