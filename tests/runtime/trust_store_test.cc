#include "runtime/trust_store.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
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

}  // namespace

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
