#include "backends/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/json_fields.h"
#include "backends/providers.h"
#include "backends/text.h"
#include "backends/usage.h"
#include "backends/verbatim.h"
#include "backends/verdict.h"

namespace sluice {

namespace {

// Two more calls may mend a bad answer.
constexpr int bad_answers_max = 3;

constexpr size_t finish_bytes_max = 100;

// Type, the API's own, task, trace and credential.
constexpr size_t headers_usual = 5;

constexpr size_t shown_url_bytes_max = 300;

constexpr std::pair<std::string_view, const Backend*> backends[] = {
    {"solve", &solve_backend},
    {"openai-chat", &openai_chat_backend},
    {"openai-responses", &openai_responses_backend},
    {"openai-embeddings", &openai_embeddings_backend},
    {"anthropic-messages", &anthropic_messages_backend},
};

// A query, such as Azure's api-version, stays behind the path.
std::string url_of(const Model& model, std::string_view path) {
  const std::string_view url = model.url;
  const size_t query = std::min(url.find('?'), url.size());
  const std::string_view base = url.substr(0, query);
  return std::string(base.substr(0, base.find_last_not_of('/') + 1))
      .append(path)
      .append(url.substr(query));
}

// Where the host begins in `url`, whose authority begins at `authority`. A slash in the password
// ends that too early: then there is no @ in it, and what is behind its last colon is no port.
size_t host_in(std::string_view url, size_t authority) {
  const std::string_view cut = url.substr(authority, url.find('/', authority) - authority);
  if (const size_t at = cut.rfind('@'); at != cut.npos) return authority + at + 1;
  const size_t colon = cut.rfind(':');
  const bool has_port = colon == cut.npos || cut.ends_with(']') ||
                        cut.find_first_not_of("0123456789", colon + 1) == cut.npos;
  const size_t at = has_port ? url.npos : url.rfind('@');
  return at == url.npos ? authority : at + 1;
}

// Without user, password, query and fragment: there may be secrets.
std::string shown_url(std::string url) {
  url.resize(std::min(url.find_first_of("?#"), url.size()));
  const size_t authority = url.find("//") + 2;
  url.erase(authority, host_in(url, authority) - authority);
  return error_text(url, shown_url_bytes_max);
}

}  // namespace

const Backend* find_backend(std::string_view api) {
  const auto* found = std::find_if(std::begin(backends), std::end(backends),
                                   [api](const auto& spoken) { return spoken.first == api; });
  return found == std::end(backends) ? nullptr : found->second;
}

std::vector<std::string> spoken_apis() {
  std::vector<std::string> apis;
  for (const auto& [api, backend] : backends) apis.emplace_back(api);
  return apis;
}

HttpRequest post_json(const Model& model, std::string_view path, HttpBody body) {
  HttpRequest request;
  request.method = "POST";
  request.url = url_of(model, path);
  request.headers.reserve(headers_usual);
  request.headers.emplace_back("Content-Type: application/json");
  request.body = std::move(body);
  return request;
}

Outcome with_url(Outcome outcome, const Model& model, std::string_view path) {
  const bool is_twice = !path.empty() && model.url.ends_with(path);
  const std::string hint = is_twice ? fmt::format(" (leave {} out of the url)", path) : "";
  const auto add = [&](std::string_view words, std::string& error) {
    error = fmt::format("{} {}{}: {}", words, shown_url(url_of(model, path)), hint, error);
  };
  if (auto* unsent = std::get_if<Unsent>(&outcome)) add("nothing was sent to", unsent->error);
  if (auto* refused = std::get_if<Refused>(&outcome)) add("calls go to", refused->error);
  // 501: what listens there knows no POST.
  auto* retry = std::get_if<Retry>(&outcome);
  if (retry != nullptr && retry->http_status == 501) add("calls go to", retry->error);
  return outcome;
}

HttpRequest request_for(const Backend& backend, const Model& model, Question question) {
  std::shared_ptr<const void> memory = std::move(question.memory);
  HttpBody body = question.request ? HttpBody(with_model(*question.request, model.upstream_name))
                                   : backend.body(model, std::move(question));
  body.keep(std::move(memory));
  HttpRequest request = post_json(model, backend.path(model), std::move(body));
  if (!backend.header.empty()) request.headers.emplace_back(backend.header);
  return request;
}

Outcome outcome_of(const Backend& backend, const HttpResponse& response) {
  JsonReader reader;
  const std::optional<simdjson::dom::element> body = reader.read(response.body);
  if (response.status < 200 || response.status > 299) {
    return outcome_of_error(response, body ? describe_error(*body) : ProviderError());
  }
  if (response.body.empty()) return with_status(bad_response("it is empty"), response.status);
  if (!body) return with_status(bad_response("it is not JSON"), response.status);
  return outcome_of_answer(backend, response, *body, response.body);
}

Outcome outcome_of_answer(const Backend& backend, const HttpResponse& response,
                          const simdjson::dom::element& body, std::string verbatim) {
  if (const auto error = find_error(body)) return outcome_of_error(response, *error);
  Outcome outcome = with_status(backend.read(body), response.status);
  if (auto* solved = std::get_if<Solved>(&outcome)) {
    const Usage usage = usage_of(body);
    if (solved->answer) solved->answer = harmless_text(std::move(*solved->answer));
    solved->finish = error_text(solved->finish, finish_bytes_max);
    solved->response = harmless_text(std::move(verbatim));
    solved->http_status = response.status;
    solved->input_tokens = usage.input_tokens;
    solved->output_tokens = usage.output_tokens;
    solved->cached_tokens = usage.cached_tokens;
    solved->cache_write_tokens = usage.cache_write_tokens;
    solved->reasoning_tokens = usage.reasoning_tokens;
  }
  return outcome;
}

Outcome give_up_on_bad_answers(Outcome outcome, int attempt) {
  const auto* retry = std::get_if<Retry>(&outcome);
  if (!retry || retry->error_code != bad_response_code || attempt < bad_answers_max) return outcome;
  return Failed{retry->error_code, retry->error, retry->http_status, retry->billed};
}

}  // namespace sluice
