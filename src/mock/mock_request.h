// MockRequest is one call to the stand-in model, read from its JSON body, with the faults that the
// prompt asks for. It decides nothing about the answer.
//
// A prompt that begins with `mock:` is a list of commands, separated by `;` and ended by white
// space; what follows is free, so that prompts may differ. Those of a batch are for all of it, the
// first prompt that has any deciding:
// - html: 200 and a page of HTML
// - empty: 200 and no body
// - nul: an answer that holds the character NUL
// - close: the connection closed without an answer
// - status=N: that status and an error
// - retry_after=N: the header Retry-After, in seconds
// - delay=3s: instead of the drawn latency
// One command, alone, is for its own prompt:
// - error: an error in place of its answer, not to be repeated (not for chat)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace sluice {

struct MockFaults {
  enum class Body { normal, html, empty, nul };
  bool ordered = false;  // there are commands: the error rate does not apply
  Body body = Body::normal;
  bool close = false;
  bool error = false;
  std::optional<int> status;
  std::optional<int> retry_after_s;
  std::optional<int64_t> delay_ns;
};

struct MockRequest {
  enum class Shape {
    solve,  // {"model","prompt"} → {"answer"}
    batch,  // {"model","prompts":[…]} → {"answers":[…]}
    chat,   // OpenAI's chat completions; the prompt is the text of the last message
  };
  Shape shape = Shape::solve;
  std::string model;
  std::string context;               // of a chat: the texts of the messages before the last
  std::vector<std::string> prompts;  // one, but for a batch
  std::vector<bool> errors;          // for each of them: in place of an answer
  bool stream = false;               // a chat answer in events
  bool include_usage = false;        // with usage in the last of them
  MockFaults faults;
};

std::optional<MockRequest::Shape> mock_shape_of(std::string_view path);

// Error::refuse says what the body lacks.
Result<MockRequest> parse_mock_request(MockRequest::Shape shape, const std::string& body);

}  // namespace sluice
