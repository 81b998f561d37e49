#include "worker/call_span.h"

#include "worker/metrics.h"

namespace sluice {

namespace {

std::string operation_of(std::string_view api) {
  if (api == "solve") return "text_completion";
  return api == "openai-embeddings" ? "embeddings" : "chat";
}

// Whose API it is, as far as anybody can tell; of `solve` nobody's.
std::string_view provider_of(std::string_view api) {
  if (api.starts_with("openai-")) return "openai";
  return api.starts_with("anthropic-") ? "anthropic" : "";
}

std::optional<int64_t> http_status_of(const Outcome& outcome) {
  return std::visit(
      [](const auto& told) -> std::optional<int64_t> {
        if constexpr (requires { told.http_status; }) return told.http_status;
        return std::nullopt;
      },
      outcome);
}

}  // namespace

CallSpan::CallSpan(SpanExporter* exporter, const Clock& clock, const Model& model,
                   const ClaimedTask& task)
    : exporter_(exporter), clock_(clock), traceparent_(task.traceparent) {
  if (exporter_ == nullptr || !traceparent_) return;
  span_ = exporter_->begin_child(*traceparent_);
  if (!span_) return;
  begun_ns_ = clock_.now_ns();
  const std::string operation = operation_of(model.api);
  span_->name = operation + " " + model.upstream_name;
  span_->attributes = {{"gen_ai.operation.name", operation},
                       {"gen_ai.request.model", model.upstream_name},
                       {"sluice.model", model.name},
                       {"sluice.task_id", task.key.task_id},
                       {"sluice.attempt", int64_t{task.attempt}}};
  if (task.queued_ms) span_->attributes.push_back({"sluice.queued_ms", *task.queued_ms});
  const std::string_view provider = provider_of(model.api);
  if (!provider.empty()) {
    span_->attributes.push_back({"gen_ai.provider.name", std::string(provider)});
  }
}

void CallSpan::end(const Outcome& outcome, size_t tasks) {
  if (!span_) return;
  const auto add = [this](std::string_view key, const std::optional<int64_t>& value) {
    if (value) span_->attributes.push_back({key, *value});
  };
  span_->attributes.push_back({"sluice.outcome", std::string(kind_of(outcome))});
  add("http.response.status_code", http_status_of(outcome));
  if (tasks > 1) add("sluice.batch_size", static_cast<int64_t>(tasks));
  if (const auto* solved = std::get_if<Solved>(&outcome)) {
    add("gen_ai.usage.input_tokens", solved->input_tokens);
    add("gen_ai.usage.output_tokens", solved->output_tokens);
  }
  const std::string_view code = error_code_of(outcome);
  span_->has_failed = !code.empty();
  if (span_->has_failed) span_->attributes.push_back({"error.type", std::string(code)});
  exporter_->end(std::move(*span_), begun_ns_);
}

}  // namespace sluice
