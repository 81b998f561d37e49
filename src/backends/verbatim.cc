#include "backends/verbatim.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "json_text.h"

namespace sluice {

std::string with_model(const std::string& request, std::string_view model) {
  const std::string name = json_string(model);
  const simdjson::padded_string padded(request);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS) {
    return request;  // sluice.submit lets only objects pass
  }
  std::string replaced;
  size_t copied = 0;
  for (auto field : object) {
    std::string_view key;
    simdjson::ondemand::value value;
    std::string_view text;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) continue;
    if (key != "model") continue;
    if (field.value().get(value) != simdjson::SUCCESS) break;
    if (simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) break;
    const auto start = static_cast<size_t>(text.data() - padded.data());
    replaced.append(request, copied, start - copied).append(name);
    copied = start + text.size();
  }
  if (copied > 0) return replaced.append(request, copied);
  const size_t after_brace = request.find('{') + 1;
  const size_t next = request.find_first_not_of(" \t\r\n", after_brace);
  const bool is_empty = next == std::string::npos || request[next] == '}';
  return fmt::format("{}\"model\":{}{}{}", request.substr(0, after_brace), name,
                     is_empty ? "" : ",", request.substr(after_brace));
}

}  // namespace sluice
