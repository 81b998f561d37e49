// The outcome of any answer, whole, in a stream or for a batch, can be stored: its texts are UTF-8
// without NUL and bounded, its numbers fit.
//
// The first bytes choose: the API or a batch, the status, and how a stream is cut or how many
// prompts the batch had.
#include <simdjson.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "backends/backend.h"
#include "backends/solve_batch.h"
#include "support/exchange.h"

namespace sluice {

namespace {

constexpr std::string_view apis[] = {"solve", "openai-chat", "openai-responses",
                                     "openai-embeddings", "anthropic-messages"};
constexpr int statuses[] = {200, 201, 302, 400, 401, 402, 403, 404,
                            405, 408, 413, 429, 500, 503, 529};
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
  require_error(retry.error_code);
  require_count(retry.retry_after_ms);
}
void check(const Unsent& unsent) {
  require_error(unsent.error);
}
void check(const Refused& refused) {
  require_error(refused.error);
  require_error(refused.error_code);
}
void check(const Throttled& throttled) {
  require_error(throttled.error);
  require_count(throttled.retry_after_ms);
}
void check(const Parked& parked) {
  require_error(parked.error);
}
void check(const Returned&) {}
void check(const BatchFailed& failed) {
  require_error(failed.error);
  require_error(failed.error_code);
}
void check(const Cancelled&) {}

void check_outcome(const Outcome& outcome) {
  std::visit([](const auto& each) { check(each); }, outcome);
}

void judge(const Backend& backend, int status, std::string_view body) {
  check_outcome(outcome_of(backend, response_of(status, std::string(body))));
}

void judge_batch(size_t prompts, int status, std::string_view body) {
  const auto outcomes = outcomes_of_batch(response_of(status, std::string(body)), prompts);
  require(outcomes.size() == prompts);
  for (const Outcome& outcome : outcomes) check_outcome(outcome);
}

void judge_stream(const Backend& backend, size_t piece_bytes, std::string_view bytes) {
  StreamedBody stream(backend.assembly(), stream_bytes_max, [](const HttpFields&) {});
  for (size_t at = 0; at < bytes.size(); at += piece_bytes) {
    if (!stream.take(bytes.substr(at, piece_bytes))) return;
  }
  const auto body = stream.body();
  if (body) judge(backend, 200, *body);
}

}  // namespace

}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sluice;  // NOLINT: one function
  if (size < 3) return 0;
  const size_t api = data[0] % (std::size(apis) + 1);  // one more: a batch
  const int status = statuses[data[1] % std::size(statuses)];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  if (api == std::size(apis)) {
    judge_batch(data[2], status, bytes);
    return 0;
  }
  const Backend& backend = *find_backend(apis[api]);
  judge(backend, status, bytes);
  if (backend.assembly) judge_stream(backend, data[2] + size_t{1}, bytes);
  return 0;
}
