#include "cli/secret_flags.h"

#include <algorithm>
#include <string>
#include <vector>

namespace sluice {
namespace {

// An empty one would let everything be named.
std::string complaint_about_prefix(const std::string& prefix) {
  const bool is_name = std::all_of(prefix.begin(), prefix.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
  return is_name && !prefix.empty() ? "" : "'" + prefix + "' begins no variable's name";
}

std::string complaint_about_directory(std::string& directory) {
  while (directory.ends_with('/')) directory.pop_back();
  return directory.starts_with('/') ? "" : "not an absolute path below /";
}

std::string complaint_about_host(const std::string& text) {
  const Result<SecretHost> host = secret_host_of(text);
  return host ? "" : host.error().message;
}

}  // namespace

void add_secret_flags(CommandSyntax syntax, SecretBounds& bounds) {
  syntax
      .add_option(
          "--secret-env", bounds.env_prefixes,
          "models may name variables that begin so as their secret, and the well-known ones "
          "of providers, as OPENAI_API_KEY")
      .check(complaint_about_prefix)
      .allow_extra_args(false)
      .delimiter(',')
      .option_text("PREFIX [SLUICE_SECRET_]");
  syntax.add_option("--secret-dir", bounds.directories, "models may name files below it")
      .transform(complaint_about_directory)
      .allow_extra_args(false)
      .delimiter(',')
      .option_text("DIR [/run/secrets]");
  const auto bind = [&bounds](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) bounds.hosts.push_back(*secret_host_of(text));
  };
  syntax
      .add_option_function(
          "--secret-host", bind,
          "where a secret may be sent (env:NAME=api.example, file:/path=http://10.0.0.5:8000), "
          "and nowhere else; of others, providers' variables go to their provider, the rest to any "
          "such provider")
      .check(complaint_about_host)
      .allow_extra_args(false)
      .delimiter(',')
      .option_text("REF=HOST");
}

}  // namespace sluice
