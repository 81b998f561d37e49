
#include <algorithm>

#include "backends/json_fields.h"
#include "backends/providers.h"
#include "backends/verdict.h"
#include "json_text.h"

namespace sluice {

namespace {

using simdjson::dom::element;

std::string path(const Model&) {
  return "/embeddings";
}

HttpBody body(const Model& model, Question question) {
  HttpBody body(R"({"model":)" + json_string(model.upstream_name) + R"(,"input":)");
  body.append_json_string(std::move(question.prompt).value_or(""));
  body.append("}");
  return body;
}

// A vector is no text: it stands in the response, once.
Outcome read(const element& body) {
  const auto data = array_of(body, "data");
  if (!data || data->size() == 0) return bad_response("it has no \"data\"");
  const bool is_whole = std::all_of(data->begin(), data->end(), [](const element& item) {
    return field_of(item, "embedding").has_value();
  });
  if (!is_whole) return bad_response("an item of \"data\" has no \"embedding\"");
  return Solved();
}

}  // namespace

const Backend openai_embeddings_backend = {path, body, read, nullptr, "Authorization: Bearer ", ""};

}  // namespace sluice
