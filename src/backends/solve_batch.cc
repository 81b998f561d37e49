#include "backends/solve_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "backends/json_fields.h"
#include "backends/providers.h"
#include "backends/verdict.h"
#include "json_text.h"

namespace sluice {

namespace {

constexpr std::string_view others_code = "batch_failed";

Outcome read_text(const simdjson::dom::element& item) {
  std::string_view text;
  if (item.get(text) != simdjson::SUCCESS) return bad_response("its answer is no text");
  Solved solved;
  solved.answer = text;
  return solved;
}

// An answer that is a bare text.
const Backend text_answers = {nullptr, nullptr, read_text, nullptr, "", ""};

// Nothing, if it says nothing about any prompt: the model is throttled or parked, nothing was sent.
std::optional<BatchFailed> batch_failed(const Outcome& failure) {
  return std::visit(
      [](const auto& cause) -> std::optional<BatchFailed> {
        if constexpr (requires { cause.billed; }) {
          return BatchFailed{cause.error_code, cause.error, cause.http_status, cause.billed};
        } else if constexpr (std::is_same_v<decltype(cause), const Refused&>) {
          return BatchFailed{cause.error_code, cause.error, cause.http_status, false};
        }
        return std::nullopt;
      },
      failure);
}

// An error: for all of them together, there being no answers to tell apart.
tl::expected<std::vector<Outcome>, Outcome> read_answers(const HttpResponse& response,
                                                         size_t prompts) {
  simdjson::dom::parser parser;
  simdjson::dom::element body;
  const bool is_json = parse_json(parser, response.body).get(body) == simdjson::SUCCESS;
  const auto bad = [&response](std::string_view detail) {
    return tl::unexpected(with_status(bad_response(detail), response.status));
  };
  const auto answers = is_json ? array_of(body, "answers") : std::nullopt;
  if (response.status < 200 || response.status > 299 || !answers) {
    Outcome failure = outcome_of(solve_backend, response);
    if (!std::holds_alternative<Solved>(failure)) return tl::unexpected(std::move(failure));
    return bad("it has one answer for all prompts");
  }
  if (answers->size() != prompts) {
    return bad(fmt::format("it has {} answers for {} prompts", answers->size(), prompts));
  }
  const auto is_answer = [](simdjson::dom::element answer) {
    return answer.is_string() || answer.is_object();
  };
  if (std::none_of(answers->begin(), answers->end(), is_answer)) {
    return bad("none of its answers is a text or an object");
  }
  std::vector<Outcome> outcomes;
  outcomes.reserve(prompts);
  for (const simdjson::dom::element answer : *answers) {
    const Backend& reader = answer.is_object() ? solve_backend : text_answers;
    outcomes.push_back(outcome_of_answer(reader, response, answer, simdjson::minify(answer)));
  }
  return outcomes;
}

std::vector<Outcome> shared_failure(const Outcome& failure, size_t prompts) {
  std::optional<BatchFailed> told = batch_failed(failure);
  if (prompts <= 1 || !told) return std::vector<Outcome>(prompts, failure);
  // The backend's words may quote any of the prompts, and each task's tenant reads its error. They
  // are for a task that is called alone.
  if (told->http_status && told->error_code != bad_response_code) {
    told->error = fmt::format("HTTP {} for {} prompts in one call", *told->http_status, prompts);
  }
  BatchFailed other = *told;
  other.error_code = others_code;
  std::vector<Outcome> outcomes(prompts, other);
  outcomes.front() = *told;
  return outcomes;
}

}  // namespace

HttpRequest batch_request_for(const Model& model, std::vector<std::string> prompts,
                              std::optional<int64_t> max_output_tokens) {
  HttpBody body(fmt::format(R"({{"model":{},"prompts":[)", json_string(model.upstream_name)));
  for (size_t i = 0; i < prompts.size(); ++i) {
    if (i > 0) body.append(",");
    body.append_json_string(std::move(prompts[i]));
  }
  body.append("]");
  if (max_output_tokens) body.append(fmt::format(R"(,"max_output_tokens":{})", *max_output_tokens));
  body.append("}");
  return post_json(model, batch_path, std::move(body));
}

std::vector<Outcome> outcomes_of_batch(const tl::expected<HttpResponse, Outcome>& reply,
                                       size_t prompts) {
  if (!reply) return shared_failure(reply.error(), prompts);
  auto outcomes = read_answers(*reply, prompts);
  return outcomes ? std::move(*outcomes) : shared_failure(outcomes.error(), prompts);
}

}  // namespace sluice
