#include "backends/solve.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "backends/text.h"
#include "json_text.h"

namespace sluice {

namespace {

// The body of the user's own making, with only the model's name put in place of theirs. Text before
// and after the name stays as it is, numbers beyond double included.
std::string with_model(const std::string& request, std::string_view model) {
  const simdjson::padded_string padded(request);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  if (parser.iterate(padded).get(document) == simdjson::SUCCESS &&
      document.get_object().get(object) == simdjson::SUCCESS) {
    std::string_view name;
    auto value = object.find_field_unordered("model");
    if (value.raw_json_token().get(name) == simdjson::SUCCESS && !name.empty() && name[0] == '"') {
      const size_t start = static_cast<size_t>(name.data() - padded.data());
      size_t end = start + 1;
      while (end < request.size() && request[end] != '"') end += request[end] == '\\' ? 2 : 1;
      return request.substr(0, start) + json_string(model) + request.substr(end + 1);
    }
  }
  const size_t brace = request.find('{');
  const size_t next = request.find_first_not_of(" \t\r\n", brace + 1);
  return fmt::format("{}\"model\":{}{}{}", request.substr(0, brace + 1), json_string(model),
                     request[next] == '}' ? "" : ",", request.substr(brace + 1));
}

HttpRequest solve_request(const Model& model, const Question& question) {
  HttpRequest request;
  request.method = "POST";
  request.url = model.url + (model.batch_max > 1 ? "/single" : "/solve");
  request.headers.emplace_back("Content-Type: application/json");
  if (question.request) {
    request.body = with_model(*question.request, model.upstream_name);
  } else {
    request.body =
        fmt::format(R"({{"model":{},"prompt":{}{}}})", json_string(model.upstream_name),
                    json_string(question.prompt.value_or("")),
                    question.max_output_tokens
                        ? fmt::format(R"(,"max_output_tokens":{})", *question.max_output_tokens)
                        : "");
  }
  return request;
}

Outcome solve_outcome(const HttpResponse& response) {
  simdjson::dom::parser parser;
  simdjson::dom::element body;
  const bool is_json = parser.parse(response.body).get(body) == simdjson::SUCCESS;
  if (response.status < 200 || response.status > 299) {
    std::string_view error;
    if (!is_json || body["error"].get(error) != simdjson::SUCCESS) error = {};
    return outcome_of_status(response, error);
  }
  if (response.body.empty()) return bad_response(response, "it is empty");
  if (!is_json) return bad_response(response, "it is not JSON");
  std::string_view answer;
  if (body["answer"].get(answer) != simdjson::SUCCESS) {
    return bad_response(response, "it has no text \"answer\"");
  }
  return Solved{harmless_text(std::string(answer)), harmless_text(response.body), response.status,
                std::nullopt, std::nullopt};
}

}  // namespace

const Backend solve_backend = {solve_request, solve_outcome};

}  // namespace sluice
