#include <fmt/format.h>

#include <algorithm>

#include "backends/json_fields.h"
#include "backends/providers.h"
#include "backends/solve_batch.h"
#include "backends/verdict.h"
#include "json_text.h"

namespace sluice {

namespace {

std::string path(const Model& model) {
  for (const std::string_view single : {"/single", "/solve"}) {
    if (offers(model, single)) return std::string(single);
  }
  return std::string(batch_path);
}

HttpBody body(const Model& model, Question question) {
  HttpBody body(R"({"model":)" + json_string(model.upstream_name) + R"(,"prompt":)");
  body.append_json_string(std::move(question.prompt).value_or(""));
  if (question.max_output_tokens) {
    body.append(fmt::format(R"(,"max_output_tokens":{})", *question.max_output_tokens));
  }
  body.append("}");
  return body;
}

Outcome read(const simdjson::dom::element& body) {
  const auto answer = text_of(body, "answer");
  if (!answer) return bad_response("it has no text \"answer\"");
  Solved solved;
  solved.answer = *answer;
  return solved;
}

}  // namespace

bool offers(const Model& model, std::string_view path) {
  if (model.paths.empty()) return (path == "/solve") == (model.batch_max <= 1);
  return std::find(model.paths.begin(), model.paths.end(), path) != model.paths.end();
}

const Backend solve_backend = {path, body, read, nullptr, "Authorization: Bearer ", ""};

}  // namespace sluice
