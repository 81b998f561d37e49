#include "mock/mock_request.h"

#include <simdjson.h>

#include <charconv>
#include <utility>

#include "mock/latency_spec.h"

namespace sluice {
namespace {

constexpr std::string_view fault_prefix = "mock:";
constexpr int retry_after_max_s = 86'400;

namespace dom = simdjson::dom;

tl::unexpected<Error> refused(std::string message) {
  return tl::unexpected(Error{Error::Action::refuse, {}, std::move(message)});
}

std::optional<std::string> string_of(dom::element element) {
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

bool flag_of(simdjson::simdjson_result<dom::element> element) {
  bool flag = false;
  return element.get(flag) == simdjson::SUCCESS && flag;
}

// A message's content is a string, or an array of parts of which those with text count.
std::optional<std::string> content_of(dom::element content) {
  dom::array parts;
  if (content.get(parts) != simdjson::SUCCESS) return string_of(content);
  std::string joined;
  for (const dom::element part : parts) {
    std::string_view text;
    if (part["text"].get(text) == simdjson::SUCCESS) joined += text;
  }
  return joined;
}

// The text of the last message; those of the others go to `context`.
std::optional<std::string> last_message_of(dom::element root, std::string& context) {
  dom::array messages;
  if (root["messages"].get(messages) != simdjson::SUCCESS) return std::nullopt;
  std::optional<std::string> last;
  for (const dom::element message : messages) {
    if (last) context += *last;
    dom::element content;
    last =
        message["content"].get(content) == simdjson::SUCCESS ? content_of(content) : std::nullopt;
  }
  return last;
}

std::optional<std::vector<std::string>> batch_of(dom::element root) {
  dom::array array;
  if (root["prompts"].get(array) != simdjson::SUCCESS || array.size() == 0) return std::nullopt;
  std::vector<std::string> prompts;
  for (const dom::element each : array) {
    auto prompt = string_of(each);
    if (!prompt) return std::nullopt;
    prompts.push_back(std::move(*prompt));
  }
  return prompts;
}

std::optional<std::vector<std::string>> prompts_of(MockRequest::Shape shape, dom::element root,
                                                   std::string& context) {
  if (shape == MockRequest::Shape::batch) return batch_of(root);
  std::optional<std::string> prompt;
  dom::element given;
  if (shape == MockRequest::Shape::chat) {
    prompt = last_message_of(root, context);
  } else if (root["prompt"].get(given) == simdjson::SUCCESS) {
    prompt = string_of(given);
  }
  if (!prompt) return std::nullopt;
  return std::vector{std::move(*prompt)};
}

std::optional<int> number_within(std::string_view text, int from, int to) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number < from || number > to) return std::nullopt;
  return number;
}

// False when there is no such command.
bool apply_command(std::string_view name, std::string_view value, MockFaults& faults) {
  if (name == "status") {
    faults.status = number_within(value, 200, 599);
    return faults.status.has_value();
  }
  if (name == "retry_after") {
    faults.retry_after_s = number_within(value, 0, retry_after_max_s);
    return faults.retry_after_s.has_value();
  }
  if (name == "delay") {
    const auto delay = parse_duration_ns(value);
    if (delay) faults.delay_ns = *delay;
    return delay.has_value();
  }
  if (!value.empty()) return false;
  if (name == "close") {
    faults.close = true;
  } else if (name == "error") {
    faults.error = true;
  } else if (name == "html") {
    faults.body = MockFaults::Body::html;
  } else if (name == "empty") {
    faults.body = MockFaults::Body::empty;
  } else if (name == "nul") {
    faults.body = MockFaults::Body::nul;
  } else {
    return false;
  }
  return true;
}

Result<MockFaults> faults_in(std::string_view prompt) {
  MockFaults faults;
  if (!prompt.starts_with(fault_prefix)) return faults;
  faults.ordered = true;
  std::string_view commands = prompt.substr(fault_prefix.size());
  commands = commands.substr(0, commands.find_first_of(" \t\r\n"));
  while (!commands.empty()) {
    const std::string_view command = commands.substr(0, commands.find(';'));
    commands.remove_prefix(std::min(command.size() + 1, commands.size()));
    const size_t equals = std::min(command.find('='), command.size());
    const std::string_view value = command.substr(std::min(equals + 1, command.size()));
    if (!apply_command(command.substr(0, equals), value, faults)) {
      return refused("no such mock command: " + std::string(command));
    }
  }
  return faults;
}

}  // namespace

std::optional<MockRequest::Shape> mock_shape_of(std::string_view path) {
  if (path == "/solve" || path == "/single") return MockRequest::Shape::solve;
  if (path == "/batch") return MockRequest::Shape::batch;
  if (path == "/v1/chat/completions") return MockRequest::Shape::chat;
  return std::nullopt;
}

Result<MockRequest> parse_mock_request(MockRequest::Shape shape, const std::string& body) {
  dom::parser parser;
  dom::element root;
  if (parser.parse(body).get(root) != simdjson::SUCCESS) return refused("the body is not JSON");
  MockRequest request;
  request.shape = shape;
  dom::element model;
  if (root["model"].get(model) == simdjson::SUCCESS) request.model = string_of(model).value_or("");
  if (request.model.empty()) return refused("the body names no model");
  auto prompts = prompts_of(shape, root, request.context);
  if (!prompts) return refused("the body has no prompt of the right form");
  request.prompts = std::move(*prompts);
  if (shape == MockRequest::Shape::chat) {
    request.stream = flag_of(root["stream"]);
    request.include_usage = flag_of(root["stream_options"]["include_usage"]);
  }
  for (const std::string& prompt : request.prompts) {
    const auto faults = faults_in(prompt);
    if (!faults) return tl::unexpected(faults.error());
    request.errors.push_back(faults->error);
    if (faults->ordered && !faults->error && !request.faults.ordered) request.faults = *faults;
  }
  return request;
}

}  // namespace sluice
