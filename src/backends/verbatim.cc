#include "backends/verbatim.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "json_text.h"
#include "runtime/http_fields.h"

namespace sluice {
namespace {

constexpr std::string_view model_key = "model";
// So many get the name, no honest request has two. The others name none: with a name of 200
// characters a request of nothing else would become twenty times as long, in memory that nobody
// counts.
constexpr int named_max = 8;

// `request`, an object, with "model" before all its fields.
std::string with_model_added(const std::string& request, std::string_view name) {
  const size_t after_brace = request.find('{') + 1;
  const size_t next = request.find_first_not_of(" \t\r\n", after_brace);
  const bool is_empty = next == std::string::npos || request[next] == '}';
  return fmt::format("{}\"model\":{}{}{}", request.substr(0, after_brace), name,
                     is_empty ? "" : ",", request.substr(after_brace));
}

}  // namespace

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
  bool has_model = false;
  int named = 0;
  for (auto field : object) {
    std::string_view key;
    simdjson::ondemand::value value;
    std::string_view text;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) continue;
    if (!is_in_any_case(key, model_key)) continue;
    has_model = has_model || key == model_key;
    if (field.value().get(value) != simdjson::SUCCESS) break;
    if (simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) break;
    const auto start = static_cast<size_t>(text.data() - padded.data());
    replaced.append(request, copied, start - copied)
        .append(named++ < named_max ? std::string_view(name) : R"("")");
    copied = start + text.size();
  }
  replaced.append(request, copied);
  return has_model ? replaced : with_model_added(replaced, name);
}

}  // namespace sluice
