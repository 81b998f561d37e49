// OtlpTarget is where spans go, as OpenTelemetry's environment variables say it. It reads them once
// and sends nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace sluice {

struct OtlpTarget {
  std::string url;                   // of traces
  std::vector<std::string> headers;  // "Name: value"; secrets
  std::string service_name;
};

// nullopt: no endpoint is configured, or OTEL_SDK_DISABLED is true. An error names the variable
// that cannot be understood, never its value. `service_name`: unless OTEL_SERVICE_NAME says so.
Result<std::optional<OtlpTarget>> otlp_target_of_environment(std::string_view service_name);

}  // namespace sluice
