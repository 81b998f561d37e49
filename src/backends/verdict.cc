#include "backends/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "backends/json_fields.h"
#include "backends/text.h"
#include "backends/wait_hint.h"
#include "bounds.h"
#include "runtime/http_fields.h"

namespace sluice {

namespace {

using simdjson::dom::element;

constexpr size_t request_id_bytes_max = 100;

// An overloaded backend needs longer than one that stumbled.
constexpr int64_t overload_wait_ms_min = 10'000;

constexpr int status_unknown_error = 500;

// The status that an error type or code stands for when none came with it.
constexpr std::array<std::pair<std::string_view, int>, 30> statuses = {{
    {"invalid_request_error", 400},
    {"invalid_prompt", 400},
    {"context_length_exceeded", 400},
    {"exceed_context_size_error", 400},
    {"string_above_max_length", 400},
    {"content_filter", 400},
    {"content_policy_violation", 400},
    {"data_inspection_failed", 400},
    {"moderation_blocked", 400},
    {"BadRequestError", 400},
    {"INVALID_ARGUMENT", 400},
    {"authentication_error", 401},
    {"invalid_api_key", 401},
    {"UNAUTHENTICATED", 401},
    {"billing_error", 402},
    {"permission_error", 403},
    {"PERMISSION_DENIED", 403},
    {"not_found_error", 404},
    {"model_not_found", 404},
    {"NOT_FOUND", 404},
    {"request_too_large", 413},
    {"rate_limit_error", 429},
    {"rate_limit_exceeded", 429},
    {"RESOURCE_EXHAUSTED", 429},
    {"server_error", 500},
    {"api_error", 500},
    {"UNAVAILABLE", 503},
    {"server_is_overloaded", 503},
    {"timeout_error", 504},
    {"overloaded_error", 529},
}};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool either_is_one_of(const ProviderError& error, std::initializer_list<std::string_view> names) {
  return is_one_of(error.code, names) || is_one_of(error.type, names);
}

// A status is 429 or 400 for these, so only the names tell. Messages only where there is no name,
// and only from their start: some backends quote the prompt.
bool is_about_the_bill(int status, const ProviderError& error) {
  return status == 402 ||
         either_is_one_of(error, {"insufficient_quota", "credit_balance_exhausted", "billing_error",
                                  "billing_hard_limit_reached", "billing_not_active"}) ||
         ((status == 400 || status == 403 || status == 429) &&
          (error.message.starts_with("Your credit balance is too low") ||
           error.message.starts_with("You have reached your specified API usage limits")));
}

bool says_overloaded(int status, const ProviderError& error) {
  return status == 529 || either_is_one_of(error, {"overloaded_error", "server_is_overloaded"});
}

// One request that is larger than the quota of a whole minute: waiting does not make it smaller.
bool is_too_large(int status, const ProviderError& error) {
  constexpr std::string_view words = "request too large";
  return status == 429 && (either_is_one_of(error, {"request_too_large"}) ||
                           begins_in_any_case(error.message, words));
}

// Of the key, the address, or this one request: one answer does not tell which.
bool is_refusal(int status) {
  return status == 403 || status == 404 || status == 405;
}

bool begins_with_one_of(std::string_view message, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [message](std::string_view beginning) {
    return begins_in_any_case(message, beginning);
  });
}

// Prompt and answer together do not fit into the model's context. Those with a name have it; the
// others say so at once: Anthropic (two), vLLM and DeepSeek (two), Gemini, xAI, OpenAI's responses,
// SGLang (two), Groq, Moonshot, Bedrock, LiteLLM.
bool is_context_too_long(int status, const ProviderError& error) {
  constexpr std::array<std::string_view, 13> beginnings = {
      "prompt is too long",
      "input length and `max_tokens` exceed context limit",
      "this model's maximum context length",
      "'max_tokens' or 'max_completion_tokens' is too large",
      "the input token count",
      "this model's maximum prompt length",
      "your input exceeds the context window",
      "the input (",
      "requested token count exceeds the model's maximum context length",
      "please reduce the length of the messages",
      "your request exceeded model token limit",
      "input is too long",
      "litellm.contextwindowexceedederror",
  };
  return either_is_one_of(error, {"context_length_exceeded", "exceed_context_size_error",
                                  "string_above_max_length"}) ||
         ((status == 400 || status == 413 || status == 422) &&
          begins_with_one_of(error.message, beginnings));
}

// The provider will not have this prompt answered. Names: OpenAI and Azure, Alibaba; beginnings:
// Anthropic, OpenAI (two), xAI, OpenRouter, Alibaba, LiteLLM.
bool is_content_refused(int status, const ProviderError& error) {
  constexpr std::array<std::string_view, 7> beginnings = {
      "output blocked by content filtering policy",
      "your request was rejected as a result of our safety system",
      "invalid prompt: your prompt was flagged",
      "content violates usage guidelines",
      "your chosen model requires moderation and your input was flagged",
      "input data may contain inappropriate content",
      "litellm.contentpolicyviolationerror",
  };
  return either_is_one_of(error, {"content_filter", "content_policy_violation",
                                  "moderation_blocked", "ResponsibleAIPolicyViolation",
                                  "data_inspection_failed", "DataInspectionFailed"}) ||
         ((status == 400 || status == 403 || status == 422) &&
          begins_with_one_of(error.message, beginnings));
}

// The code of an error that another model may not give; sluice.fallbacks knows it. Empty: none.
std::string_view fallback_code(int status, const ProviderError& error) {
  if (is_context_too_long(status, error)) return "context_too_long";
  if (is_content_refused(status, error)) return "content_refused";
  return {};
}

bool is_throttle(int status, const ProviderError& error) {
  return status == 429 || either_is_one_of(error, {"slow_down"});
}

bool is_passing(int status) {
  return status == 408 || status == 409 || status == 425 || status >= 500;
}

bool is_success(int status) {
  return status >= 200 && status <= 299;
}

int status_meant(const ProviderError& error) {
  int number = 0;  // vLLM's and Gemini's code is the status
  std::from_chars(error.code.data(), error.code.data() + error.code.size(), number);
  if (number >= 400 && number <= 599) return number;
  for (const std::string_view name : {std::string_view(error.code), std::string_view(error.type)}) {
    for (const auto& [known, status] : statuses) {
      if (name == known) return status;
    }
  }
  return status_unknown_error;
}

std::string words_for(const HttpResponse& response, const ProviderError& error) {
  std::string words = fmt::format("HTTP {}", response.status);
  if (is_success(response.status)) words += ", then an error";
  const std::string& kind = error.code.empty() ? error.type : error.code;
  if (!kind.empty()) words += ", " + kind;
  if (!error.message.empty()) words += ": " + error.message;
  words = error_text(words, bounds::error_bytes_max);
  std::string_view id = find_field(response.headers, "x-request-id");
  if (id.empty()) id = find_field(response.headers, "request-id");
  if (!id.empty()) words += fmt::format(" [request {}]", error_text(id, request_id_bytes_max));
  return words;
}

std::optional<bool> own_word(const HttpResponse& response, const ProviderError& error) {
  const std::string_view header = find_field(response.headers, "x-should-retry");
  if (header == "true") return true;
  if (header == "false") return false;
  return error.retryable;
}

std::string text_or_number(const element& object, std::string_view name) {
  if (const auto text = text_of(object, name)) return std::string(*text);
  const auto number = int_of(object, name);
  return number ? std::to_string(*number) : std::string();
}

std::optional<bool> bool_of(const element& object, std::string_view name) {
  bool value = false;
  if (object[name].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

// Google's "details" hold the time to wait in one of two places.
std::string retry_delay_in(const element& error) {
  const auto details = array_of(error, "details");
  if (!details) return {};
  for (const element detail : *details) {
    if (const auto delay = text_of(detail, "retryDelay")) return std::string(*delay);
    const auto metadata = field_of(detail, "metadata");
    if (const auto delay = metadata ? text_of(*metadata, "quotaResetDelay") : std::nullopt) {
      return std::string(*delay);
    }
  }
  return {};
}

ProviderError read_error(const element& error) {
  ProviderError read;
  std::string_view text;
  if (error.get(text) == simdjson::SUCCESS) {  // Ollama's and solve's
    read.message = text;
    return read;
  }
  read.type = text_or_number(error, "type");
  if (read.type.empty()) read.type = text_or_number(error, "status");
  read.code = text_or_number(error, "code");
  read.message = text_or_number(error, "message");
  if (read.message.empty()) read.message = text_or_number(error, "detail");
  read.retry_delay = retry_delay_in(error);
  read.retryable = bool_of(error, "retryable");
  return read;
}

}  // namespace

std::optional<ProviderError> find_error(const element& body) {
  simdjson::dom::array list;
  element root = body;
  if (body.get(list) == simdjson::SUCCESS && list.at(0).get(root) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  const auto error = field_of(root, "error");
  if (!error || bool_of(root, "error") == false || text_of(root, "error") == "") {
    return std::nullopt;
  }
  ProviderError read = read_error(*error);
  if (!read.retryable) read.retryable = bool_of(root, "retryable");
  return read;
}

ProviderError describe_error(const element& body) {
  const auto found = find_error(body);
  return found ? *found : read_error(body);
}

Outcome outcome_of_failure(const HttpFailure& failure) {
  const std::string error = error_text(failure.message, bounds::error_bytes_max);
  switch (failure.kind) {
    case HttpFailure::Kind::not_sent:
      return Unsent{error};
    case HttpFailure::Kind::unanswered:
      return Retry{"unanswered", error, std::nullopt, std::nullopt, std::nullopt};
    case HttpFailure::Kind::timed_out:
      return Retry{"timeout", error, std::nullopt, std::nullopt, std::nullopt};
    case HttpFailure::Kind::too_large:
      return Failed{"response_too_large", error, std::nullopt, true};
    case HttpFailure::Kind::aborted:
      return Returned{};
  }
  return Returned{};
}

Outcome outcome_of_error(const HttpResponse& response, const ProviderError& error) {
  const bool is_late = is_success(response.status);
  const int status = is_late ? status_meant(error) : response.status;
  const std::string code = fmt::format("http_{}", status);
  const std::string words = words_for(response, error);
  const std::optional<bool> billed = is_late ? std::nullopt : std::optional(false);

  if (is_about_the_bill(status, error)) return Parked{Parked::Cause::billing, words, status};
  const std::optional<bool> word = own_word(response, error);
  std::optional<int64_t> wait_ms = wait_hint_ms(response, error.retry_delay);
  // "false" for a wrong key means the same as parking: repeating does not help.
  if (word != true && status == 401) return Parked{Parked::Cause::credential, words, status};
  if (const std::string_view cause = fallback_code(status, error); word != true && !cause.empty()) {
    return Failed{std::string(cause), words, status, billed};
  }
  if (word != true && is_refusal(status)) return Refused{code, words, status};
  if (is_too_large(status, error)) return Failed{code, words, status, billed};
  if (word == false) return Failed{code, words, status, billed};
  if (is_throttle(status, error)) return Throttled{code, words, status, wait_ms};
  if (word == true || is_passing(status)) {
    if (says_overloaded(status, error)) {
      wait_ms = std::max(wait_ms.value_or(0), overload_wait_ms_min);
    }
    return Retry{code, words, status, std::nullopt, wait_ms};
  }
  return Failed{code, words, status, billed};
}

Outcome bad_response(std::string_view detail) {
  return Retry{std::string(bad_response_code), fmt::format("a body that is no answer: {}", detail),
               std::nullopt, true, std::nullopt};
}

Outcome with_status(Outcome bad, int status) {
  if (auto* retry = std::get_if<Retry>(&bad)) {
    retry->error = fmt::format("HTTP {} with {}", status, retry->error);
    retry->http_status = status;
  }
  return bad;
}

}  // namespace sluice
