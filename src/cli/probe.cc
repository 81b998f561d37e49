// One GET, as curl would do it where there is no curl: in an image that holds nothing but Sluice.
#include <curl/curl.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/syntax.h"
#include "command_error.h"

namespace sluice {
namespace {

// Shorter than the ten seconds after which a health check is usually given up.
constexpr long timeout_ms = 5'000;
constexpr long http_ok = 200;

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

size_t drop(const char*, size_t size, size_t count, void*) {
  return size * count;
}

ExitCode probe(const std::string& url) {
  const Easy easy(curl_easy_init(), &curl_easy_cleanup);
  if (!easy) throw CommandError(ExitCode::failure, "curl cannot start");
  curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, timeout_ms);
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, &drop);
  const CURLcode result = curl_easy_perform(easy.get());
  if (result != CURLE_OK) {
    throw CommandError(ExitCode::failure,
                       fmt::format("no answer to the probe: {}", curl_easy_strerror(result)));
  }
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status == http_ok) return ExitCode::ok;
  throw CommandError(ExitCode::failure, fmt::format("the probe was answered with {}", status));
}

}  // namespace

Action configure_probe(CommandSyntax syntax) {
  const auto url = std::make_shared<std::string>("http://127.0.0.1:8080/healthz");
  syntax
      .add_option(
          "URL", *url,
          "asked by plain HTTP; exit 0 if the answer is 200. /healthz is about the process, "
          "/readyz about its database too")
      .option_text("[http://127.0.0.1:8080/healthz]");
  return [url](const GlobalOptions&) { return probe(*url); };
}

}  // namespace sluice
