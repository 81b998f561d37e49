// A form, whatever it is and in whatever pieces it comes, never crashes its reader, and says the
// same in one piece and in many. The first byte is the size of the pieces.
#include "api/multipart.h"

#include <cstdlib>
#include <string>

#include "api/line_parts.h"

namespace {

std::string read(std::string_view body, size_t step) {
  sluice::MultipartReader reader("b");
  sluice::LineParts lines;
  std::string said;
  for (size_t at = 0; at < body.size() && !reader.is_broken(); at += step) {
    reader.feed(body.substr(at, step));
    while (const auto event = reader.next()) {
      if (event->kind != sluice::MultipartEvent::Kind::data) said += '\0';
      said += event->text + event->filename.value_or("");
      lines.add(event->text);
    }
  }
  lines.end();
  std::string kept;
  while (const auto part = lines.take()) kept += part->text;
  if (kept.size() != static_cast<size_t>(lines.bytes()) && lines.problem().empty()) {
    std::abort();
  }
  return reader.is_broken() ? std::string("broken") : said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t step = size_t{data[0]} + 1;
  if (read(body, step) != read(body, body.size() + 1)) std::abort();
  sluice::multipart_boundary(body);
  return 0;
}
