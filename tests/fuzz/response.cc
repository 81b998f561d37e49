// Whatever a backend answers, whole or in a stream, the outcome can be stored: its texts are UTF-8
// without NUL and bounded, its numbers fit.
//
// The first bytes choose: the API, the status, and how a stream is cut.
#include <simdjson.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "backends/backend.h"

namespace sluice {

namespace {

constexpr std::string_view apis[] = {"solve", "openai-chat", "openai-responses",
                                     "openai-embeddings", "anthropic-messages"};
constexpr int statuses[] = {200, 201, 302, 400, 401, 402, 403, 404, 408, 413, 429, 500, 503, 529};
constexpr size_t error_bytes_max = 2000;
constexpr size_t stream_bytes_max = 100'000;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_text(std::string_view text) {
  require(simdjson::validate_utf8(text.data(), text.size()));
  require(text.find('\0') == std::string_view::npos);
}

void require_error(std::string_view text) {
  require_text(text);
  require(text.size() <= error_bytes_max);
}

void require_count(const std::optional<int64_t>& count) {
  require(!count || (*count >= 0 && *count <= std::numeric_limits<int32_t>::max()));
}

void check(const Solved& solved) {
  require_text(solved.answer.value_or(""));
  require_text(solved.response);
  require_error(solved.finish);
  require_count(solved.input_tokens);
  require_count(solved.output_tokens);
}
void check(const Failed& failed) {
  require_error(failed.error);
  require_error(failed.error_code);
}
void check(const Retry& retry) {
  require_error(retry.error);
  require_count(retry.retry_after_ms);
}
void check(const Throttled& throttled) {
  require_error(throttled.error);
  require_count(throttled.retry_after_ms);
}
void check(const Parked& parked) {
  require_error(parked.error);
}
void check(const Returned&) {}
void check(const Cancelled&) {}

void judge(const Backend& backend, int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  std::visit([](const auto& each) { check(each); }, outcome_of(backend, response));
}

}  // namespace

}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sluice;  // NOLINT: one function
  if (size < 3) return 0;
  const Backend& backend = *find_backend(apis[data[0] % std::size(apis)]);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  judge(backend, statuses[data[1] % std::size(statuses)], std::string(bytes));
  if (!backend.assembly) return 0;
  StreamedBody stream(backend.assembly(), stream_bytes_max, [](const HttpFields&) {});
  const size_t piece = data[2] + size_t{1};
  for (size_t at = 0; at < bytes.size(); at += piece) {
    if (!stream.take(bytes.substr(at, piece))) return 0;
  }
  const auto body = stream.body();
  if (body) judge(backend, 200, *body);
  return 0;
}
