#include <fmt/format.h>

#include "backends/json_fields.h"
#include "backends/providers.h"
#include "backends/verdict.h"
#include "json_text.h"

namespace sluice {

namespace {

std::string path(const Model& model) {
  return model.batch_max > 1 ? "/single" : "/solve";
}

std::string body(const Model& model, const Question& question) {
  std::string limit;
  if (question.max_output_tokens) {
    limit = fmt::format(R"(,"max_output_tokens":{})", *question.max_output_tokens);
  }
  return fmt::format(R"({{"model":{},"prompt":{}{}}})", json_string(model.upstream_name),
                     json_string(question.prompt.value_or("")), limit);
}

Outcome read(const simdjson::dom::element& body) {
  const auto answer = text_of(body, "answer");
  if (!answer) return bad_response("it has no text \"answer\"");
  Solved solved;
  solved.answer = *answer;
  return solved;
}

}  // namespace

const Backend solve_backend = {path, body, read, nullptr, "Authorization: Bearer ", ""};

}  // namespace sluice
