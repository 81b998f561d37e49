#include "trace/otlp_target.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/http_fields.h"
#include "runtime/request_problem.h"

namespace sluice {

namespace {

constexpr const char* endpoint_name = "OTEL_EXPORTER_OTLP_ENDPOINT";
constexpr const char* traces_endpoint_name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
constexpr const char* headers_name = "OTEL_EXPORTER_OTLP_HEADERS";
constexpr const char* traces_headers_name = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";

// An empty variable is as good as none.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

Error not_understood(std::string_view name, std::string_view wanted) {
  return Error{Error::Action::refuse, {}, std::string(name) + " is not " + std::string(wanted)};
}

constexpr std::string_view blanks = " \t";

// One NAME=VALUE as a header, or nullopt.
std::optional<std::string> header_of(std::string_view pair) {
  const size_t equals = pair.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = trim(pair.substr(0, equals), blanks);
  const auto is_in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  const std::optional<std::string> value = percent_decode(trim(pair.substr(equals + 1), blanks));
  const auto is_printable = [](char c) { return c >= ' ' && c != 0x7f; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_in_name) || !value ||
      !std::all_of(value->begin(), value->end(), is_printable)) {
    return std::nullopt;
  }
  return std::string(name) + ": " + *value;
}

// NAME=VALUE,NAME=VALUE; values percent-encoded. nullopt: it is something else.
std::optional<std::vector<std::string>> headers_of(std::string_view list) {
  std::vector<std::string> headers;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view pair = trim(list.substr(0, comma), blanks);
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (pair.empty()) continue;
    std::optional<std::string> header = header_of(pair);
    if (!header) return std::nullopt;
    headers.push_back(std::move(*header));
  }
  return headers;
}

}  // namespace

Result<std::optional<OtlpTarget>> otlp_target_of_environment(std::string_view service_name) {
  const std::string_view of_traces = variable(traces_endpoint_name);
  const std::string_view endpoint = of_traces.empty() ? variable(endpoint_name) : of_traces;
  if (endpoint.empty() || variable("OTEL_SDK_DISABLED") == "true") return std::nullopt;
  OtlpTarget target;
  target.url = endpoint;
  if (!target.url.starts_with("http://") && !target.url.starts_with("https://")) {
    return tl::unexpected(not_understood(of_traces.empty() ? endpoint_name : traces_endpoint_name,
                                         "a URL with http or https"));
  }
  if (of_traces.empty()) target.url += target.url.ends_with('/') ? "v1/traces" : "/v1/traces";
  const bool has_own = !variable(traces_headers_name).empty();
  const char* const list_name = has_own ? traces_headers_name : headers_name;
  auto headers = headers_of(variable(list_name));
  if (!headers) {
    return tl::unexpected(not_understood(list_name, "a list NAME=VALUE,NAME=VALUE"));
  }
  target.headers = std::move(*headers);
  const std::string_view named = variable("OTEL_SERVICE_NAME");
  target.service_name = named.empty() ? service_name : named;
  return target;
}

}  // namespace sluice
