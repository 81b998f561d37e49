#include <fmt/format.h>

#include "backends/json_fields.h"
#include "backends/providers.h"
#include "backends/verdict.h"
#include "json_text.h"

namespace sluice {

namespace {

using simdjson::dom::element;

std::string path(const Model&) {
  return "/responses";
}

HttpBody body(const Model& model, Question question) {
  HttpBody body(R"({"model":)" + json_string(model.upstream_name) + R"(,"input":)");
  body.append_json_string(std::move(question.prompt).value_or(""));
  body.append(R"(,"stream":true)");
  if (question.max_output_tokens) {
    body.append(fmt::format(R"(,"max_output_tokens":{})", *question.max_output_tokens));
  }
  body.append("}");
  return body;
}

void append_content(const element& item, Solved& solved) {
  const auto content = array_of(item, "content");
  if (!content) return;
  for (const element part : *content) {
    const auto text = text_of(part, "text");
    const auto refusal = text_of(part, "refusal");
    if (refusal) solved.finish = "refusal";
    if (!text && !refusal) continue;
    if (!solved.answer) solved.answer.emplace();
    solved.answer->append(text ? *text : *refusal);
  }
}

Outcome read(const element& body) {
  const auto output = array_of(body, "output");
  if (!output) return bad_response("it has no \"output\"");
  const std::string_view status = text_of(body, "status").value_or("completed");
  if (status == "queued" || status == "in_progress" || status == "cancelled") {
    // A background response: fetching it later is not our protocol, and a new call is billed anew.
    return Failed{"not_finished", fmt::format("the response is {}", status), 200, true};
  }
  if (status != "completed" && status != "incomplete") return bad_response("its status is unknown");
  Solved solved;
  for (const element item : *output) {
    if (text_of(item, "type") == "message") append_content(item, solved);
  }
  if (status == "incomplete") {
    const auto details = field_of(body, "incomplete_details");
    const auto reason = details ? text_of(*details, "reason") : std::nullopt;
    solved.finish = reason.value_or(status);
  }
  return solved;
}

// The last event holds the whole response.
class ResponsesAssembly final : public Assembly {
 public:
  void take(const element& data) override {
    const auto type = text_of(data, "type");
    const auto response = field_of(data, "response");
    if (response && (type == "response.completed" || type == "response.incomplete" ||
                     type == "response.failed")) {
      body_ = simdjson::to_string(*response);
    }
  }
  std::optional<std::string> body() const override { return body_; }
  size_t bytes() const override { return body_ ? body_->size() : 0; }

 private:
  std::optional<std::string> body_;
};

std::unique_ptr<Assembly> assembly() {
  return std::make_unique<ResponsesAssembly>();
}

}  // namespace

const Backend openai_responses_backend = {path, body, read, assembly, "Authorization: Bearer ", ""};

}  // namespace sluice
