// The parts of a URL as libcurl reads them. For src/runtime only; any thread.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

namespace sluice {

struct CurlUrlDelete {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using CurlUrl = std::unique_ptr<CURLU, CurlUrlDelete>;

// Null: it cannot be read.
inline CurlUrl read_url(const std::string& text) {
  CurlUrl url(curl_url());
  if (url == nullptr || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return nullptr;
  }
  return url;
}

// Empty: there is no such part.
inline std::string part_of(const CurlUrl& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return "";
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
  return text;
}

}  // namespace sluice
