// A request that is an object stays one, and every "model" at its top, in any case, is ours: the
// first eight by name, of the others none names another.
#include "backends/verbatim.h"

#include <simdjson.h>
#include <strings.h>

#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string request(reinterpret_cast<const char*>(data), size);
  const std::string sent = sluice::with_model(request, "ours\"");
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(request).get(object) != simdjson::SUCCESS) return 0;
  if (parser.parse(sent).get(object) != simdjson::SUCCESS) std::abort();
  int models = 0;
  bool has_model = false;
  for (const auto& [name, value] : object) {
    std::string_view text;
    if (name.size() != 5 || strncasecmp(name.data(), "model", 5) != 0) continue;
    if (value.get(text) != simdjson::SUCCESS) std::abort();
    if (text != "ours\"" && (models < 8 || !text.empty())) std::abort();
    ++models;
    has_model = has_model || name == "model";
  }
  if (!has_model) std::abort();
  return 0;
}
