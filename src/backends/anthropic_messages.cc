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

// The API wants a limit; this one every model allows.
constexpr int64_t max_tokens_default = 4096;

std::string path(const Model&) {
  return "/v1/messages";
}

HttpBody body(const Model& model, Question question) {
  HttpBody body(fmt::format(
      R"({{"model":{},"max_tokens":{},"messages":[{{"role":"user","content":)",
      json_string(model.upstream_name), question.max_output_tokens.value_or(max_tokens_default)));
  body.append_json_string(std::move(question.prompt).value_or(""));
  body.append(R"(}],"stream":true})");
  return body;
}

Outcome read(const element& body) {
  const auto content = array_of(body, "content");
  if (!content) return bad_response("it has no \"content\"");
  Solved solved;
  for (const element block : *content) {
    if (text_of(block, "type") != "text") continue;
    if (!solved.answer) solved.answer.emplace();
    solved.answer->append(text_of(block, "text").value_or(""));
  }
  const std::string_view reason = text_of(body, "stop_reason").value_or("end_turn");
  if (reason != "end_turn" && reason != "stop_sequence" && reason != "tool_use") {
    solved.finish = reason;
  }
  return solved;
}

// The events of a streamed message: message_start, blocks with their deltas, message_delta,
// message_stop.
class MessageAssembly final : public Assembly {
 public:
  void take(const element& event) override;
  std::optional<std::string> body() const override;
  size_t bytes() const override { return bytes_; }

 private:
  using Fields = std::map<std::string, std::string, std::less<>>;  // name → raw JSON
  struct Block {
    Fields start;
    std::map<std::string, std::string, std::less<>> texts;  // text, thinking, signature
    std::string input_json;
  };

  void take_fields(const std::optional<element>& object, Fields& into);
  void take_delta(const element& delta, Block& block);
  static std::string object_json(const Fields& fields);
  static std::string block_json(const Block& block);

  Fields message_;  // all of it but content and usage
  Fields usage_;    // the last word on each count
  std::map<int64_t, Block> blocks_;
  size_t bytes_ = 0;
  bool is_stopped_ = false;
};

constexpr size_t entry_bytes = 256;  // what one more block or field costs, roughly

void MessageAssembly::take_fields(const std::optional<element>& object, Fields& into) {
  simdjson::dom::object fields;
  if (!object || object->get(fields) != simdjson::SUCCESS) return;
  for (const auto& [name, value] : fields) {
    std::string json = simdjson::to_string(value);
    bytes_ += json.size() + (into.contains(name) ? 0 : entry_bytes + name.size());
    into.insert_or_assign(std::string(name), std::move(json));
  }
}

void MessageAssembly::take(const element& event) {
  const std::string_view type = text_of(event, "type").value_or("");
  if (type == "message_start") {
    const auto message = field_of(event, "message");
    take_fields(message, message_);
    if (message) take_fields(field_of(*message, "usage"), usage_);
  } else if (type == "content_block_start" || type == "content_block_delta") {
    const auto [place, is_new] = blocks_.try_emplace(int_of(event, "index").value_or(0));
    if (is_new) bytes_ += entry_bytes;
    take_fields(field_of(event, "content_block"), place->second.start);
    if (const auto delta = field_of(event, "delta")) take_delta(*delta, place->second);
  } else if (type == "message_delta") {
    take_fields(field_of(event, "delta"), message_);
    take_fields(field_of(event, "usage"), usage_);
  } else if (type == "message_stop") {
    is_stopped_ = true;
  }
}

void MessageAssembly::take_delta(const element& delta, Block& block) {
  for (const std::string_view name : {"text", "thinking", "signature"}) {
    const auto text = text_of(delta, name);
    if (!text) continue;
    auto& kept = block.texts[std::string(name)];
    kept += *text;
    bytes_ += text->size();
  }
  if (const auto json = text_of(delta, "partial_json")) {
    block.input_json += *json;
    bytes_ += json->size();
  }
}

std::string MessageAssembly::object_json(const Fields& fields) {
  std::string json;
  for (const auto& [name, value] : fields) {
    json += fmt::format("{}{}:{}", json.empty() ? "" : ",", json_string(name), value);
  }
  return '{' + json + '}';
}

std::string MessageAssembly::block_json(const Block& block) {
  Fields fields = block.start;
  for (const auto& [name, text] : block.texts) fields[name] = json_string(text);
  // Cut off by max_tokens, a tool's input may be no JSON: then it is kept as the text it is.
  if (!block.input_json.empty()) {
    simdjson::dom::parser parser;
    const bool is_json = parse_json(parser, block.input_json).error() == simdjson::SUCCESS;
    fields["input"] = is_json ? block.input_json : json_string(block.input_json);
  }
  return object_json(fields);
}

std::optional<std::string> MessageAssembly::body() const {
  if (!is_stopped_ || message_.empty()) return std::nullopt;
  std::string content;
  for (const auto& [index, block] : blocks_) {
    if (!content.empty()) content += ',';
    content += block_json(block);
  }
  Fields message = message_;
  message["content"] = '[' + content + ']';
  message["usage"] = object_json(usage_);
  return object_json(message);
}

std::unique_ptr<Assembly> assembly() {
  return std::make_unique<MessageAssembly>();
}

}  // namespace

const Backend anthropic_messages_backend = {
    path, body, read, assembly, "x-api-key: ", "anthropic-version: 2023-06-01"};

}  // namespace sluice
