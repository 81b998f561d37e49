#include "trace/trace_context.h"

#include "hex.h"

namespace sluice {

namespace {

// 00-<32 digits>-<16 digits>-<2 digits>
constexpr size_t length = 55;
constexpr size_t trace_id_at = 3;
constexpr size_t span_id_at = 36;
constexpr size_t flags_at = 53;

bool is_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

bool TraceContext::is_sampled() const {
  constexpr std::string_view odd = "13579bdf";  // the lowest bit
  return odd.find(flags.back()) != std::string_view::npos;
}

std::string TraceContext::traceparent() const {
  return "00-" + trace_id + "-" + span_id + "-" + flags;
}

std::optional<TraceContext> parse_traceparent(std::string_view text) {
  if (text.size() != length || !text.starts_with("00-") || text[span_id_at - 1] != '-' ||
      text[flags_at - 1] != '-') {
    return std::nullopt;
  }
  const std::string_view trace_id = text.substr(trace_id_at, 32);
  const std::string_view span_id = text.substr(span_id_at, 16);
  const std::string_view flags = text.substr(flags_at, 2);
  if (!is_hex(trace_id) || !is_hex(span_id) || !is_hex(flags) || is_zero(trace_id) ||
      is_zero(span_id)) {
    return std::nullopt;
  }
  return TraceContext{std::string(trace_id), std::string(span_id), std::string(flags)};
}

}  // namespace sluice
