#include <fmt/format.h>

#include <map>
#include <string>

#include "backends/json_fields.h"
#include "backends/providers.h"
#include "backends/verdict.h"
#include "json_text.h"

namespace sluice {

namespace {

using simdjson::dom::element;

std::string path(const Model&) {
  return "/chat/completions";
}

// OpenAI's reasoning models refuse max_tokens, and many compatible servers know nothing else: an
// unknown limit would be ignored in silence.
std::string_view limit_name(const Model& model) {
  const std::string_view url = model.url;
  const size_t start = url.find("://") + 3;
  const std::string_view host = url.substr(start, url.find_first_of("/:", start) - start);
  const bool is_openai = host.ends_with(".openai.com") || host.ends_with(".openai.azure.com");
  return is_openai ? "max_completion_tokens" : "max_tokens";
}

HttpBody body(const Model& model, Question question) {
  HttpBody body(R"({"model":)" + json_string(model.upstream_name) +
                R"(,"messages":[{"role":"user","content":)");
  body.append_json_string(std::move(question.prompt).value_or(""));
  body.append(R"(}],"stream":true,"stream_options":{"include_usage":true})");
  if (question.max_output_tokens) {
    body.append(fmt::format(R"(,"{}":{})", limit_name(model), *question.max_output_tokens));
  }
  body.append("}");
  return body;
}

// A string, or parts of which those with text count.
std::optional<std::string> content_of(const element& message) {
  if (const auto text = text_of(message, "content")) return std::string(*text);
  const auto parts = array_of(message, "content");
  if (!parts) return std::nullopt;
  std::string joined;
  for (const element part : *parts) joined += text_of(part, "text").value_or("");
  return joined;
}

Outcome read(const element& body) {
  const auto choices = array_of(body, "choices");
  element choice;
  if (!choices || choices->at(0).get(choice) != simdjson::SUCCESS) {
    return bad_response("it has no \"choices\"");
  }
  const auto message = field_of(choice, "message");
  if (!message || !message->is_object()) return bad_response("its choice has no \"message\"");
  Solved solved;
  solved.answer = content_of(*message);
  const std::string_view finish = text_of(choice, "finish_reason").value_or("stop");
  if (finish != "stop" && finish != "tool_calls" && finish != "function_call") {
    solved.finish = finish;
  }
  if (const auto refusal = text_of(*message, "refusal"); refusal && !refusal->empty()) {
    if (!solved.answer || solved.answer->empty()) solved.answer = *refusal;
    solved.finish = "refusal";
  }
  return solved;
}

// The chunks of a streamed completion. Kept are texts, tool calls, usage and the head; of log
// probabilities nothing is.
class ChatAssembly final : public Assembly {
 public:
  void take(const element& chunk) override;
  void end() override { is_ended_ = true; }
  std::optional<std::string> body() const override;
  size_t bytes() const override { return bytes_; }

 private:
  struct ToolCall {
    std::string id, type, name, arguments;
  };
  struct Choice {
    std::map<std::string, std::string, std::less<>> texts;  // content, refusal, reasoning …
    std::map<int64_t, ToolCall> tool_calls;
    std::string finish_reason;
  };

  void take_choice(const element& choice);
  void take_tool_call(const element& delta, Choice& choice);
  void keep(std::string& text, std::optional<std::string_view> more);
  bool is_whole() const;
  static std::string tool_calls_json(const Choice& choice);
  static std::string choice_json(int64_t index, const Choice& choice);

  std::map<std::string, std::string, std::less<>> head_;  // raw JSON: id, created, model …
  std::map<int64_t, Choice> choices_;
  std::string usage_;
  size_t bytes_ = 0;
  bool is_ended_ = false;
};

constexpr size_t entry_bytes = 256;  // what one more choice or call costs, roughly

void ChatAssembly::keep(std::string& text, std::optional<std::string_view> more) {
  if (!more) return;
  text += *more;
  bytes_ += more->size();
}

void ChatAssembly::take(const element& chunk) {
  for (const std::string_view name : {"id", "created", "model", "system_fingerprint"}) {
    const auto value = field_of(chunk, name);
    if (value && !head_.contains(name)) keep(head_[std::string(name)], simdjson::to_string(*value));
  }
  if (const auto usage = field_of(chunk, "usage")) usage_ = simdjson::to_string(*usage);
  const auto choices = array_of(chunk, "choices");
  if (!choices) return;
  for (const element choice : *choices) take_choice(choice);
}

void ChatAssembly::take_choice(const element& choice) {
  const auto [place, is_new] = choices_.try_emplace(int_of(choice, "index").value_or(0));
  Choice& kept = place->second;
  if (is_new) bytes_ += entry_bytes;
  if (const auto reason = text_of(choice, "finish_reason")) kept.finish_reason = *reason;
  const auto delta = field_of(choice, "delta");
  if (!delta) return;
  simdjson::dom::object fields;
  if (delta->get(fields) != simdjson::SUCCESS) return;
  for (const auto& [name, value] : fields) {
    std::string_view text;
    if (name == "role" || value.get(text) != simdjson::SUCCESS) continue;
    auto field = kept.texts.find(name);
    if (field == kept.texts.end()) {
      field = kept.texts.emplace(name, "").first;
      bytes_ += entry_bytes + name.size();
    }
    keep(field->second, text);
  }
  take_tool_call(*delta, kept);
}

void ChatAssembly::take_tool_call(const element& delta, Choice& choice) {
  const auto calls = array_of(delta, "tool_calls");
  if (!calls) return;
  for (const element call : *calls) {
    const auto [place, is_new] = choice.tool_calls.try_emplace(int_of(call, "index").value_or(0));
    ToolCall& kept = place->second;
    if (is_new) bytes_ += entry_bytes;
    if (kept.id.empty()) keep(kept.id, text_of(call, "id"));
    if (kept.type.empty()) keep(kept.type, text_of(call, "type"));
    if (const auto function = field_of(call, "function")) {
      keep(kept.name, text_of(*function, "name"));
      keep(kept.arguments, text_of(*function, "arguments"));
    }
  }
}

// By its own word, or because every choice has come to its end: some servers never say [DONE].
bool ChatAssembly::is_whole() const {
  if (choices_.empty()) return false;
  return is_ended_ || std::all_of(choices_.begin(), choices_.end(), [](const auto& entry) {
           return !entry.second.finish_reason.empty();
         });
}

std::string ChatAssembly::tool_calls_json(const Choice& choice) {
  std::string json;
  for (const auto& [index, call] : choice.tool_calls) {
    json += fmt::format(R"({}{{"id":{},"type":{},"function":{{"name":{},"arguments":{}}}}})",
                        json.empty() ? "" : ",", json_string(call.id),
                        json_string(call.type.empty() ? "function" : call.type),
                        json_string(call.name), json_string(call.arguments));
  }
  return json;
}

std::string ChatAssembly::choice_json(int64_t index, const Choice& choice) {
  std::string message = R"({"role":"assistant")";
  if (!choice.texts.contains("content")) message += R"(,"content":null)";
  for (const auto& [name, text] : choice.texts) {
    message += fmt::format(",{}:{}", json_string(name), json_string(text));
  }
  if (!choice.tool_calls.empty()) {
    message += fmt::format(R"(,"tool_calls":[{}])", tool_calls_json(choice));
  }
  return fmt::format(R"({{"index":{},"message":{}}},"finish_reason":{}}})", index, message,
                     choice.finish_reason.empty() ? "null" : json_string(choice.finish_reason));
}

std::optional<std::string> ChatAssembly::body() const {
  if (!is_whole()) return std::nullopt;
  std::string json = R"({"object":"chat.completion")";
  for (const auto& [name, value] : head_) json += fmt::format(R"(,"{}":{})", name, value);
  json += R"(,"choices":[)";
  bool is_first = true;
  for (const auto& [index, choice] : choices_) {
    if (!std::exchange(is_first, false)) json += ',';
    json += choice_json(index, choice);
  }
  json += ']';
  if (!usage_.empty()) json += R"(,"usage":)" + usage_;
  return json + '}';
}

std::unique_ptr<Assembly> assembly() {
  return std::make_unique<ChatAssembly>();
}

}  // namespace

const Backend openai_chat_backend = {path, body, read, assembly, "Authorization: Bearer ", ""};

}  // namespace sluice
