#include "runtime/trust_store.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/run_co.h"

namespace sluice {
namespace {

// None is left to whoever opens a file as long as it lives.
class NoDescriptors final {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_;
};

// A folder that stands for / of another distribution.
class Root final {
 public:
  Root() {
    std::string name = std::filesystem::temp_directory_path() / "sluice-root-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Root() { std::filesystem::remove_all(path_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  void put(const std::string& file) const {
    const std::filesystem::path path = path_ + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "a certificate";
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("authorities are found where Fedora keeps them") {
  const Root root;
  root.put("/etc/pki/tls/certs/ca-bundle.crt");
  const AuthorityPaths found = find_authorities(root.path());
  CHECK(found.file == root.path() + "/etc/pki/tls/certs/ca-bundle.crt");
  CHECK(found.directory == root.path() + "/etc/pki/tls/certs");
}

TEST_CASE("a folder of authorities without a bundle is enough") {
  const Root root;
  root.put("/etc/ssl/certs/5ad8a5d6.0");
  const AuthorityPaths found = find_authorities(root.path());
  CHECK(found.file.empty());
  CHECK(found.directory == root.path() + "/etc/ssl/certs");
}

TEST_CASE("where no authorities are, the usual file is named") {
  const Root root;
  const AuthorityPaths found = find_authorities(root.path());
  CHECK(found.file == root.path() + "/etc/ssl/certs/ca-certificates.crt");
  CHECK(found.directory.empty());
}

TEST_CASE("authorities that could not be read at first are read when somebody asks again") {
  const char* authorities = std::getenv("SSL_CERT_FILE");
  if (authorities == nullptr) authorities = "/etc/ssl/certs/ca-certificates.crt";
  if (!std::filesystem::exists(authorities)) return;
  Loop loop;
  SystemClock clock(loop);
  TrustStore store(clock);
  {
    const NoDescriptors none;
    CHECK_FALSE(run_co(loop, clock, store.get()));
  }
  const Result<TrustStore::Store> read = run_co(loop, clock, store.get());
  REQUIRE(read);
  CHECK(*read != nullptr);
}

}  // namespace sluice
