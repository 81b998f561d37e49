#include "worker/secrets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/openat2.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "private_file.h"
#include "runtime/http_fields.h"
#include "worker/redaction.h"

namespace sluice {

namespace {

constexpr std::string_view env_prefix = "env:";
constexpr std::string_view file_prefix = "file:";

// Longer than any token; a wrong path must not fill the memory, or the requests' headers.
constexpr size_t secret_bytes_max = size_t{16} * 1024;

// The variables that providers' own documentation names, and the hosts that take what is in them.
// Only hosts where no customer of the provider reads what arrives: a key that is sent to the wrong
// one is refused there, and nobody has it who should not.
struct Provider {
  const char* variable;
  const char* host;
};
constexpr Provider providers[] = {
    {"ANTHROPIC_API_KEY", "api.anthropic.com"},
    {"AZURE_OPENAI_API_KEY", "*.openai.azure.com"},
    {"AZURE_OPENAI_API_KEY", "*.cognitiveservices.azure.com"},
    {"AZURE_OPENAI_API_KEY", "*.services.ai.azure.com"},
    {"DEEPSEEK_API_KEY", "api.deepseek.com"},
    {"GEMINI_API_KEY", "generativelanguage.googleapis.com"},
    {"GROQ_API_KEY", "api.groq.com"},
    {"MISTRAL_API_KEY", "api.mistral.ai"},
    {"OPENAI_API_KEY", "*.openai.com"},
    {"OPENROUTER_API_KEY", "openrouter.ai"},
    {"TOGETHER_API_KEY", "api.together.ai"},
    {"TOGETHER_API_KEY", "api.together.xyz"},
    {"XAI_API_KEY", "api.x.ai"},
};

tl::unexpected<Error> refused(std::string_view reference, std::string_view reason) {
  return tl::unexpected(
      Error{Error::Action::refuse, "", fmt::format("secret {} {}", reference, reason)});
}

tl::unexpected<Error> no_host(std::string_view text) {
  return tl::unexpected(Error{
      Error::Action::refuse, "",
      fmt::format("{} is not env:NAME=HOST or file:/path=HOST, where HOST is host, host:port or "
                  "http(s)://host:port, and *.host all below it",
                  text)});
}

Result<std::string> checked(std::string_view reference, std::string secret) {
  secret.resize(secret.find_last_not_of(" \t\r\n") + 1);
  if (secret.empty()) return refused(reference, "is empty");
  if (secret.size() > secret_bytes_max) return refused(reference, "is too long for a secret");
  const bool is_printable = std::all_of(secret.begin(), secret.end(),
                                        [](unsigned char c) { return c > 0x20 && c != 0x7F; });
  if (!is_printable) return refused(reference, "holds white space or control characters");
  return secret;
}

std::string path_of(const std::string& reference) {
  return reference.substr(file_prefix.size());
}

Result<std::string> read_variable(const std::string& reference) {
  const char* value = std::getenv(reference.c_str() + env_prefix.size());
  if (value == nullptr) return refused(reference, "is not set in the worker's environment");
  return checked(reference, value);
}

// `allowed` may have a host *.below.
bool allows(const Endpoint& allowed, const Endpoint& endpoint) {
  if (allowed.scheme != endpoint.scheme || allowed.port != endpoint.port) return false;
  const std::string host = to_lower(endpoint.host);
  if (!allowed.host.starts_with("*.")) return host == allowed.host;
  const std::string_view below = std::string_view(allowed.host).substr(1);
  return host.size() > below.size() && host.ends_with(below);
}

bool allows(const std::vector<Endpoint>& allowed, const Endpoint& endpoint) {
  return std::any_of(allowed.begin(), allowed.end(),
                     [&](const Endpoint& each) { return allows(each, endpoint); });
}

// The file at `path` below the directory: the kernel follows no link, and no .., out of it.
FileDescriptor open_below(const std::string& directory, const std::string& path) {
  const FileDescriptor top(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (top.get() < 0) return FileDescriptor();
  open_how how{};
  // Without O_NONBLOCK the opening of a named pipe would wait for its writer.
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // The kernel's own name for it: glibc 2.31, which the portable file is compiled with, has none.
  const long fd = syscall(__NR_openat2, top.get(), path.c_str(), &how, sizeof how);
  return FileDescriptor(static_cast<int>(fd));
}

}  // namespace

Result<SecretHost> secret_host_of(const std::string& text) {
  const size_t end = text.rfind('=');
  if (end == std::string::npos) return no_host(text);
  std::string reference = text.substr(0, end);
  std::string host = to_lower(text.substr(end + 1));
  if (!reference.starts_with(env_prefix) && !reference.starts_with("file:/")) return no_host(text);
  std::string scheme = "https://";
  if (const size_t name = host.find("://"); name != std::string::npos) {
    scheme = host.substr(0, name + 3);
    host.erase(0, name + 3);
  }
  const bool is_wildcard = host.starts_with("*.");
  if (is_wildcard) host.erase(0, 2);
  std::optional<Endpoint> endpoint = endpoint_of(scheme + host);
  const bool is_http = scheme == "https://" || scheme == "http://";
  if (!endpoint || !is_http || host.find_first_of("/?#@") != std::string::npos) {
    return no_host(text);
  }
  if (is_wildcard) endpoint->host.insert(0, "*.");
  return SecretHost{std::move(reference), std::move(*endpoint)};
}

Secrets::Secrets(SecretBounds bounds) : bounds_(std::move(bounds)) {
  for (const SecretHost& host : bounds_.hosts) hosts_[host.reference].push_back(host.endpoint);
  for (const Provider& provider : providers) {
    const std::string reference = std::string(env_prefix) + provider.variable;
    Endpoint endpoint = secret_host_of(reference + "=" + provider.host).value().endpoint;
    providers_.push_back(endpoint);
    const bool is_bound_by_operator =
        std::any_of(bounds_.hosts.begin(), bounds_.hosts.end(),
                    [&](const SecretHost& host) { return host.reference == reference; });
    if (!is_bound_by_operator) hosts_[reference].push_back(std::move(endpoint));
  }
}

Result<std::string> Secrets::read(const std::string& reference, const std::string& url) const {
  const Result<void> named = check_name(reference);
  if (!named) return tl::unexpected(named.error());
  const Result<void> sent = check_host(reference, url);
  if (!sent) return tl::unexpected(sent.error());
  Result<std::string> secret =
      reference.starts_with(env_prefix) ? read_variable(reference) : read_file(reference);
  if (secret) warn_if_short(reference, *secret);
  return secret;
}

void Secrets::warn_if_short(const std::string& reference, const std::string& secret) const {
  if (secret.size() >= Redaction::secret_bytes_min || !warned_of_.insert(reference).second) return;
  spdlog::warn("secret {} is shorter than {} bytes: an echo of it in an answer or error is stored",
               reference, Redaction::secret_bytes_min);
}

Result<void> Secrets::check_name(const std::string& reference) const {
  if (reference.starts_with(file_prefix)) {
    if (directory_above(path_of(reference)) != nullptr) return {};
    return refused(reference, fmt::format("is out of bounds: files are below {} (--secret-dir)",
                                          fmt::join(bounds_.directories, " or ")));
  }
  if (!reference.starts_with(env_prefix)) return refused(reference, "is neither env: nor file:");
  const std::string name = reference.substr(env_prefix.size());
  const auto& prefixes = bounds_.env_prefixes;
  const bool is_allowed =
      std::any_of(std::begin(providers), std::end(providers),
                  [&](const Provider& provider) { return name == provider.variable; }) ||
      std::any_of(prefixes.begin(), prefixes.end(),
                  [&](const std::string& prefix) { return name.starts_with(prefix); });
  if (is_allowed) return {};
  return refused(reference, fmt::format("is out of bounds: variables begin with {} "
                                        "(--secret-env), or are a provider's",
                                        fmt::join(prefixes, " or ")));
}

Result<void> Secrets::check_host(const std::string& reference, const std::string& url) const {
  const std::optional<Endpoint> endpoint = endpoint_of(url);
  if (!endpoint) return refused(reference, "is for a URL that cannot be read");
  const auto bound = hosts_.find(reference);
  if (allows(bound != hosts_.end() ? bound->second : providers_, *endpoint)) return {};
  const std::string where = endpoint->url();
  return refused(reference,
                 fmt::format("may not go to {}; to allow it, start with --secret-host {}={}", where,
                             reference, where));
}

const std::string* Secrets::directory_above(const std::string& path) const {
  const auto found =
      std::find_if(bounds_.directories.begin(), bounds_.directories.end(),
                   [&](const std::string& directory) { return path.starts_with(directory + "/"); });
  return found == bounds_.directories.end() ? nullptr : &*found;
}

Result<std::string> Secrets::read_file(const std::string& reference) const {
  const std::string path = path_of(reference);
  const std::string& directory = *directory_above(path);
  const FileDescriptor file = open_below(directory, path.substr(directory.size() + 1));
  if (file.get() < 0 && errno == EXDEV) {
    return refused(reference, fmt::format("leads out of {}", directory));
  }
  Result<std::string> bytes = read_private_file(file, secret_bytes_max);
  if (!bytes) return refused(reference, bytes.error().message);
  return checked(reference, std::move(*bytes));
}

}  // namespace sluice
