#include "runtime/trust_store.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <openssl/x509_vfy.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace sluice {
namespace {

constexpr int64_t wait_ns = 2 * ns_per_ms;

// Of Debian, Alpine and Arch; of Fedora and its kin; of openSUSE; of the BSDs.
constexpr std::array known_files{"/etc/ssl/certs/ca-certificates.crt",
                                 "/etc/pki/tls/certs/ca-bundle.crt",
                                 "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                 "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
constexpr std::array known_directories{"/etc/ssl/certs", "/etc/pki/tls/certs"};

// The first that is there, below `root`; empty: none is.
template <size_t count>
std::string first_of(const std::array<const char*, count>& paths, const std::string& root) {
  const auto is_there = [&](const char* path) {
    struct stat found {};
    return stat((root + path).c_str(), &found) == 0;
  };
  const auto found = std::find_if(paths.begin(), paths.end(), is_there);
  return found == paths.end() ? "" : root + *found;
}

std::string setting(const char* name, const char* built_in, const std::string& otherwise) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') value = built_in;
  return value == nullptr ? otherwise : value;
}

// On a thread of its own.
Result<TrustStore::Store> read(const std::string& file, const std::string& directory) {
  TrustStore::Store store(X509_STORE_new(), &X509_STORE_free);
  if (!store) throw std::bad_alloc();
  // As curl does for its own: an intermediate that is trusted is enough.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
  if (!directory.empty()) X509_STORE_load_path(store.get(), directory.c_str());
  if (!file.empty() && X509_STORE_load_file(store.get(), file.c_str()) != 1) {
    return tl::unexpected(
        Error{Error::Action::refuse, {}, "no certificate authorities can be read from " + file});
  }
  return store;
}

std::string stamp_of(const std::string& path) {
  struct stat found {};
  if (path.empty() || stat(path.c_str(), &found) != 0) return "none ";
  return fmt::format("{} {} {}.{} ", found.st_ino, found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

}  // namespace

AuthorityPaths find_authorities(const std::string& root) {
  AuthorityPaths found{first_of(known_files, root), first_of(known_directories, root)};
  if (found.file.empty() && found.directory.empty()) found.file = root + known_files.front();
  return found;
}

TrustStore::TrustStore(Clock& clock) : clock_(clock) {
  const curl_version_info_data* built_in = curl_version_info(CURLVERSION_NOW);
  const AuthorityPaths found = find_authorities("");
  file_ = setting("SSL_CERT_FILE", built_in->cainfo, found.file);
  directory_ = setting("SSL_CERT_DIR", built_in->capath, found.directory);
}

Co<Result<TrustStore::Store>> TrustStore::get() {
  look();
  take();
  while (reading_.valid()) {
    co_await sleep_until(clock_, clock_.now_ns() + wait_ns);
    take();
  }
  co_return store_;
}

void TrustStore::look() {
  const bool is_known = store_ && *store_ != nullptr;
  const int64_t now_ns = clock_.now_ns();
  if (reading_.valid() || (is_known && now_ns - looked_ns_ < look_interval_ms * ns_per_ms)) return;
  looked_ns_ = now_ns;
  std::string present = stamp();
  if (present == stamp_) return;
  stamp_ = std::move(present);
  try {
    reading_ = std::async(std::launch::async, &read, file_, directory_);
  } catch (const std::system_error& error) {
    keep(tl::unexpected(Error{
        Error::Action::retry_later, {}, fmt::format("certificate authorities: {}", error.what())}));
  }
}

void TrustStore::take() {
  if (!reading_.valid() ||
      reading_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    return;
  }
  keep(reading_.get());
}

// A change that cannot be read (it is being written) leaves what there was, until the next one.
// Where there was nothing, whoever asks next has it read again: its cause may have passed.
void TrustStore::keep(Result<Store> read) {
  const bool is_known = store_ && *store_ != nullptr;
  if (!read && is_known) return;
  if (!read) stamp_.clear();
  store_ = std::move(read);
}

std::string TrustStore::stamp() const {
  return stamp_of(file_) + stamp_of(directory_);
}

}  // namespace sluice
