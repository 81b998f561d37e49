#include "trace/span_exporter.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "bounds.h"
#include "counted.h"
#include "trace/trace_context.h"

namespace sluice {

SpanExporter::SpanExporter(OtlpTarget target, Clock& clock, HttpClient& http, Note note)
    : target_(std::move(target)), clock_(clock), http_(http), note_(std::move(note)) {
  coroutines_.spawn(run());
}

std::unique_ptr<SpanExporter> SpanExporter::of_environment(std::string_view service_name,
                                                           Clock& clock, HttpClient& http,
                                                           Note note) {
  Result<std::optional<OtlpTarget>> target = otlp_target_of_environment(service_name);
  if (!target) spdlog::warn("spans are not exported: {}", target.error().message);
  if (!target || !*target) return nullptr;
  spdlog::info("spans of sampled traces are exported");
  return std::make_unique<SpanExporter>(std::move(**target), clock, http, std::move(note));
}

std::unique_ptr<Span> SpanExporter::begin_child(std::string& traceparent) {
  std::optional<TraceContext> context = parse_traceparent(traceparent);
  if (!context || !context->is_sampled()) return nullptr;
  auto span = std::make_unique<Span>();
  span->trace_id = context->trace_id;
  span->parent_id = context->span_id;
  span->span_id = context->span_id = new_span_id();
  traceparent = context->traceparent();
  return span;
}

// 16 hexadecimal digits, not all zero.
std::string SpanExporter::new_span_id() {
  uint64_t id = 0;
  while (id == 0) id = random_();
  return fmt::format("{:016x}", id);
}

void SpanExporter::end(Span span, int64_t begun_ns) {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  span.ended_unix_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count();
  span.begun_unix_ns = span.ended_unix_ns - (clock_.now_ns() - begun_ns);
  if (waiting_.size() >= bounds::spans_waiting_max) return note_(0, 1);
  waiting_.push_back(std::move(span));
  if (waiting_.size() == 1 || waiting_.size() == bounds::spans_batch_max) change_.raise();
}

Co<void> SpanExporter::run() {
  while (!finishing_ || !waiting_.empty()) {
    co_await wait_for_batch();
    if (!waiting_.empty()) co_await send();
  }
  has_ended_ = true;
  progress_.raise();
}

// Until a batch is full, or its oldest span has waited for the interval.
Co<void> SpanExporter::wait_for_batch() {
  while (waiting_.empty() && !finishing_) co_await change_.wait();
  const int64_t until_ns = clock_.now_ns() + bounds::spans_interval_ms * ns_per_ms;
  while (waiting_.size() < bounds::spans_batch_max && !finishing_ && clock_.now_ns() < until_ns) {
    co_await change_.wait_until(clock_, until_ns);
  }
}

std::vector<Span> SpanExporter::take() {
  const auto count = std::min(waiting_.size(), bounds::spans_batch_max);
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Span> batch(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return batch;
}

Co<void> SpanExporter::send() {
  HttpRequest request{"POST",
                      target_.url,
                      target_.headers,
                      {},
                      bounds::spans_timeout_ms,
                      bounds::spans_response_bytes_max};
  request.headers.emplace_back("Content-Type: application/json");
  const std::vector<Span> batch = take();
  request.body = otlp_json(batch, target_.service_name);
  under_way_ = batch.size();
  const HttpResult answer = co_await http_.send(std::move(request), nullptr);
  under_way_ = 0;
  std::string problem;
  if (!answer) {
    problem = answer.error().message;
  } else if (answer->status / 100 != 2) {
    problem = fmt::format("the collector answered {}", answer->status);
  }
  note_sent(batch.size(), problem);
}

// Logged when it changes: a collector that is down for a day is two lines.
void SpanExporter::note_sent(size_t count, const std::string& problem) {
  const bool has_failed = !problem.empty();
  note_(has_failed ? 0 : count, has_failed ? count : 0);
  if (std::exchange(failing_, has_failed) == has_failed) return;
  if (has_failed) {
    spdlog::warn("spans are dropped: {}", problem);
  } else {
    spdlog::info("spans are exported again");
  }
}

Co<void> SpanExporter::finish() {
  finishing_ = true;
  change_.raise();
  const int64_t until_ns = clock_.now_ns() + bounds::spans_finish_ms * ns_per_ms;
  while (!has_ended_ && !given_up_ && clock_.now_ns() < until_ns) {
    co_await progress_.wait_until(clock_, until_ns);
  }
  const size_t left = waiting_.size() + under_way_;
  if (left == 0) co_return;
  note_(0, left);
  spdlog::warn("{} dropped at the end", counted(left, "span"));
}

void SpanExporter::give_up() {
  given_up_ = true;
  progress_.raise();
}

}  // namespace sluice
