// The console's files as they were when this binary was built (scripts/embed_web). It owns their
// bytes and nothing else.
#pragma once

#include <span>
#include <string_view>

namespace sluice {

struct WebFile {
  std::string_view name;  // below /console/: "components/table.js"
  std::string_view content_type;
  std::string_view sha256;  // of the plain bytes, 64 hexadecimal digits
  std::string_view plain;
  std::string_view gzip;  // empty: it is not smaller
};

// By name, without the page itself.
std::span<const WebFile> embedded_web_files();

// index.html by the depth of the path that it is sent for: each has a <base> that leads from there
// to /console/.
std::span<const WebFile> embedded_web_pages();

}  // namespace sluice
