#include "worker/secrets.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sluice {

namespace {

// A file that is gone with the test.
class SecretFile {
 public:
  SecretFile() {
    std::string name = std::filesystem::temp_directory_path() / "sluice-secret-XXXXXX";
    close(mkstemp(name.data()));
    path_ = name;
  }
  ~SecretFile() { std::filesystem::remove(path_); }
  SecretFile(const SecretFile&) = delete;
  SecretFile& operator=(const SecretFile&) = delete;

  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  // As Kubernetes and careful people do it.
  void replace(const std::string& text) {
    std::ofstream(path_ + ".new", std::ios::binary) << text;
    allow(path_ + ".new", 0600);
    std::filesystem::rename(path_ + ".new", path_);
  }
  void allow(mode_t mode) { allow(path_, mode); }
  std::string reference() const { return "file:" + path_; }

 private:
  static void allow(const std::string& path, mode_t mode) {
    REQUIRE(chmod(path.c_str(), mode) == 0);
  }
  std::string path_;
};

}  // namespace

TEST_CASE("a secret in the environment is read, and a missing one named without a value") {
  Secrets secrets;
  setenv("SLUICE_TEST_SECRET", "sk-1", 1);
  CHECK(secrets.read("env:SLUICE_TEST_SECRET") == "sk-1");
  unsetenv("SLUICE_TEST_SECRET");
  const auto missing = secrets.read("env:SLUICE_TEST_SECRET");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message ==
        "secret env:SLUICE_TEST_SECRET is not set in the worker's environment");
}

TEST_CASE("a secret in a file is read without its newline, and anew when it changes") {
  Secrets secrets;
  SecretFile file;
  file.write("sk-1\n");
  CHECK(secrets.read(file.reference()) == "sk-1");
  CHECK(secrets.read(file.reference()) == "sk-1");
  file.replace("sk-2\r\n");
  CHECK(secrets.read(file.reference()) == "sk-2");
  file.write("sk-three");
  CHECK(secrets.read(file.reference()) == "sk-three");
}

TEST_CASE("a file that everybody may read is refused, also when it becomes so later") {
  Secrets secrets;
  SecretFile file;
  file.write("sk-1");
  CHECK(secrets.read(file.reference()));
  for (mode_t mode : {0644U, 0604U, 0602U, 0601U}) {
    file.allow(mode);
    const auto refused = secrets.read(file.reference());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("chmod") != std::string::npos);
  }
  file.allow(0440);
  CHECK(secrets.read(file.reference()));
}

TEST_CASE("what can be no secret is refused, and no message holds it") {
  Secrets secrets;
  SecretFile file;
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("hidden\r\nX-Evil: 1"),
        std::string("hid\0den", 7), std::string(20'000, 'h'), std::string("hidden den")}) {
    file.write(text);
    const auto refused = secrets.read(file.reference());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("hid") == std::string::npos);
    CHECK(refused.error().message.find("hhh") == std::string::npos);
  }
  CHECK_FALSE(secrets.read("file:/nowhere/at/all"));
  CHECK_FALSE(secrets.read("file:/tmp"));
  CHECK_FALSE(secrets.read("plain"));
}

}  // namespace sluice
