#include "worker/secrets.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sluice {

namespace {

namespace fs = std::filesystem;

constexpr const char* backend = "https://api.example/v1/chat/completions";

// A directory of secrets, whose files may go to `backend`; gone with the test.
class SecretDirectory {
 public:
  SecretDirectory() {
    std::string name = fs::temp_directory_path() / "sluice-secrets-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~SecretDirectory() { fs::remove_all(path_); }
  SecretDirectory(const SecretDirectory&) = delete;
  SecretDirectory& operator=(const SecretDirectory&) = delete;

  void write(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    REQUIRE(chmod((path_ / name).c_str(), mode) == 0);
  }
  // As Kubernetes and careful people do it.
  void replace(const std::string& name, const std::string& text) const {
    write(name + ".new", text);
    fs::rename(path_ / (name + ".new"), path_ / name);
  }
  const fs::path& path() const { return path_; }
  std::string reference(const std::string& name) const { return "file:" + (path_ / name).string(); }
  Result<std::string> read(const std::string& name) const {
    return Secrets({{}, {path_}, {{reference(name), {"https", "api.example", "443"}}}})
        .read(reference(name), backend);
  }

 private:
  fs::path path_;
};

Secrets secrets_with(std::initializer_list<const char*> hosts) {
  SecretBounds bounds;
  for (const char* host : hosts) bounds.hosts.push_back(secret_host_of(host).value());
  return Secrets(bounds);
}

// Whether the variable, which is set, may go there.
bool goes(const Secrets& secrets, const std::string& variable, const std::string& url) {
  setenv(variable.c_str(), "sk-1", 1);
  const Result<std::string> secret = secrets.read("env:" + variable, url);
  unsetenv(variable.c_str());
  if (!secret) CHECK(secret.error().message.find("--secret-host") != std::string::npos);
  return secret.has_value();
}

}  // namespace

TEST_CASE("a secret in the environment is read, and a missing one named without a value") {
  const Secrets secrets = secrets_with({"env:SLUICE_SECRET_TEST=api.example"});
  setenv("SLUICE_SECRET_TEST", "sk-1", 1);
  CHECK(secrets.read("env:SLUICE_SECRET_TEST", backend) == "sk-1");
  unsetenv("SLUICE_SECRET_TEST");
  const auto missing = secrets.read("env:SLUICE_SECRET_TEST", backend);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message ==
        "secret env:SLUICE_SECRET_TEST is not set in the worker's environment");
}

TEST_CASE("a secret in a file is read without its newline, and anew when it changes") {
  const SecretDirectory directory;
  directory.write("key", "sk-1\n");
  CHECK(directory.read("key") == "sk-1");
  directory.replace("key", "sk-2\r\n");
  CHECK(directory.read("key") == "sk-2");
  directory.write("key", "sk-three");
  CHECK(directory.read("key") == "sk-three");
}

TEST_CASE("a file that everybody may read is refused") {
  const SecretDirectory directory;
  for (mode_t mode : {0644U, 0604U, 0602U, 0601U}) {
    directory.write("key", "sk-1", mode);
    const auto refused = directory.read("key");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("chmod") != std::string::npos);
  }
  directory.write("key", "sk-1", 0440);
  CHECK(directory.read("key"));
}

TEST_CASE("what can be no secret is refused, and no message holds it") {
  const SecretDirectory directory;
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("hidden\r\nX-Evil: 1"),
        std::string("hid\0den", 7), std::string(20'000, 'h'), std::string("hidden den")}) {
    directory.write("key", text);
    const auto refused = directory.read("key");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("hid") == std::string::npos);
    CHECK(refused.error().message.find("hhh") == std::string::npos);
  }
  CHECK_FALSE(directory.read("none"));
  CHECK_FALSE(directory.read(""));
  CHECK_FALSE(directory.read("."));
  CHECK_FALSE(Secrets({}).read("plain", backend));
}

TEST_CASE("no file is read above the directory, nor through a link out of it") {
  const SecretDirectory outside;
  const SecretDirectory directory;
  outside.write("key", "sk-1");
  fs::create_symlink(outside.path() / "key", directory.path() / "link");
  fs::create_symlink(outside.path(), directory.path() / "folder");
  const std::string up = "../" + outside.path().filename().string() + "/key";
  for (const std::string& name : {std::string("link"), std::string("folder/key"), up}) {
    const auto refused =
        Secrets(
            {{},
             {directory.path()},
             {{"file:" + directory.path().string() + "/" + name, {"https", "api.example", "443"}}}})
            .read("file:" + directory.path().string() + "/" + name, backend);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("leads out of") != std::string::npos);
  }
  // One that stays below is followed: so Kubernetes mounts them.
  directory.write("..data", "sk-2");
  fs::create_symlink("..data", directory.path() / "key");
  CHECK(directory.read("key") == "sk-2");
}

TEST_CASE("neither another directory's file nor one whose name begins like it is in bounds") {
  const SecretDirectory directory;
  directory.write("key", "sk-1");
  const std::string beside = directory.path().string() + "-beside/key";
  for (const std::string& path :
       {std::string("/etc/hostname"), beside, directory.path().string()}) {
    const auto refused = Secrets({{}, {directory.path()}, {}}).read("file:" + path, backend);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("--secret-dir") != std::string::npos);
  }
}

TEST_CASE("a variable is in bounds by its prefix, or as a provider's") {
  SecretBounds bounds;
  bounds.env_prefixes = {"GATEWAY_", "OWN_"};
  bounds.hosts = {{"env:GATEWAY_KEY", {"https", "api.example", "443"}},
                  {"env:HOME", {"https", "api.example", "443"}},
                  {"env:SLUICE_SECRET_TEST", {"https", "api.example", "443"}}};
  const Secrets secrets(bounds);
  CHECK(goes(secrets, "GATEWAY_KEY", backend));
  for (const char* reference : {"env:HOME", "env:SLUICE_SECRET_TEST", "env:gateway_KEY"}) {
    const auto refused = secrets.read(reference, backend);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("--secret-env") != std::string::npos);
  }
  CHECK(goes(secrets, "OPENAI_API_KEY", "https://api.openai.com/v1"));
}

TEST_CASE("a provider's key goes to its provider alone, over TLS") {
  const Secrets secrets({});
  CHECK(goes(secrets, "OPENAI_API_KEY", "https://api.openai.com/v1/chat/completions"));
  CHECK(goes(secrets, "OPENAI_API_KEY", "https://EU.api.OpenAI.com:443"));
  CHECK(goes(secrets, "AZURE_OPENAI_API_KEY", "https://mine.openai.azure.com/openai/v1"));
  for (const char* url :
       {"http://api.openai.com", "https://api.openai.com:8443", "https://openai.com.evil.example",
        "https://evil-openai.com", "https://.openai.com", "https://api.openai.com.",
        "https://api.openai.com@evil.example", "https://evil.example/?api.openai.com",
        "https://evil.example#@api.openai.com", "https://api.anthropic.com", "http://127.0.0.1"}) {
    CAPTURE(url);
    CHECK_FALSE(goes(secrets, "OPENAI_API_KEY", url));
  }
  CHECK_FALSE(secrets.read("env:OPENAI_API_KEY", "not a URL"));
}

TEST_CASE("what nobody bound goes to providers, and nowhere else") {
  const Secrets secrets({});
  CHECK(goes(secrets, "SLUICE_SECRET_TEST", "https://api.anthropic.com/v1/messages"));
  CHECK_FALSE(goes(secrets, "SLUICE_SECRET_TEST", "https://api.example"));
  CHECK_FALSE(goes(secrets, "SLUICE_SECRET_TEST", "http://127.0.0.1:8000"));
}

TEST_CASE("what the operator bound goes there and nowhere else") {
  const Secrets secrets = secrets_with({"env:OPENAI_API_KEY=http://127.0.0.1:8000",
                                        "env:OPENAI_API_KEY=gateway.example:8443",
                                        "env:SLUICE_SECRET_TEST=*.Example.com"});
  CHECK(goes(secrets, "OPENAI_API_KEY", "http://127.0.0.1:8000/v1"));
  CHECK(goes(secrets, "OPENAI_API_KEY", "https://gateway.example:8443"));
  CHECK_FALSE(goes(secrets, "OPENAI_API_KEY", "https://127.0.0.1:8000/v1"));
  CHECK_FALSE(goes(secrets, "OPENAI_API_KEY", "http://127.0.0.1:8001"));
  CHECK_FALSE(goes(secrets, "OPENAI_API_KEY", "https://gateway.example"));
  CHECK_FALSE(goes(secrets, "OPENAI_API_KEY", "https://api.openai.com"));
  CHECK(goes(secrets, "SLUICE_SECRET_TEST", "https://a.b.example.com"));
  CHECK_FALSE(goes(secrets, "SLUICE_SECRET_TEST", "https://example.com"));
  CHECK_FALSE(goes(secrets, "SLUICE_SECRET_TEST", "https://api.anthropic.com"));
}

TEST_CASE("a host that is none is refused") {
  for (const char* text : {"", "env:A", "env:A=", "A=host", "file:relative=host", "env:A=*",
                           "env:A=*.", "env:A=ftp://host", "env:A=host/path", "env:A=user@host",
                           "env:A=host:99999", "env:A=https://", "env:A=a*.host"}) {
    CAPTURE(text);
    CHECK_FALSE(secret_host_of(text));
  }
  CHECK(secret_host_of("file:/a=b/key=[::1]:8000")->endpoint.url() == "https://[::1]:8000");
}

}  // namespace sluice
