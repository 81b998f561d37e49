// An answer is read the same in whatever pieces it comes, and within its limits.
//
// The first byte says how the rest is cut, and whether the connection ends with it.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/http_answer_parser.h"
#include "runtime/http_common.h"

namespace sluice {
namespace {

using State = HttpAnswerParser::State;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Body final : HttpAnswerParser::Reader {
  bool on_body(std::string_view bytes) override {
    text += bytes;
    return true;
  }
  std::string text;
};

struct Answer {
  Body body;
  HttpAnswerParser parser{body};

  void read(std::string_view bytes, size_t piece_bytes, bool ends) {
    for (size_t at = 0; at < bytes.size() && parser.state() == State::unfinished;
         at += piece_bytes) {
      // Of its own, so that reading beyond it is seen.
      const std::string piece(bytes.substr(at, piece_bytes));
      parser.take(piece);
    }
    if (ends && parser.state() == State::unfinished) parser.take_end();
  }
};

void require_bounded(Answer& answer, size_t size) {
  const bool is_whole = answer.parser.state() == State::whole;
  int64_t bytes = 0;
  for (const auto& [name, value] : answer.parser.headers()) {
    require(!is_whole ||
            std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }));
    require(value.find_first_of("\r\n") == std::string::npos);
    bytes += static_cast<int64_t>(name.size() + value.size());
  }
  require(bytes <= response_headers_bytes_max);
  require(answer.body.text.size() <= size);
  require(answer.parser.padding_bytes() >= 0);
  require(answer.parser.body_bytes() == static_cast<int64_t>(answer.body.text.size()));
  if (answer.parser.state() == State::broken) require(!answer.parser.problem().empty());
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sluice;  // NOLINT: one function
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool ends = data[0] % 2 == 1;
  Answer whole;
  whole.read(bytes, std::max<size_t>(bytes.size(), 1), ends);
  require_bounded(whole, size);
  Answer cut;
  cut.read(bytes, data[0] / 2 + size_t{1}, ends);
  require_bounded(cut, size);
  // The head's bound counts whole pieces.
  if (whole.parser.state() == State::too_large || cut.parser.state() == State::too_large) return 0;
  require(whole.parser.state() == cut.parser.state());
  if (whole.parser.state() == State::broken) return 0;
  require(whole.parser.status() == cut.parser.status());
  require(whole.parser.headers() == cut.parser.headers());
  require(whole.body.text == cut.body.text);
  return 0;
}
