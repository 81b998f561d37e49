// Where log lines go and how they look: stderr, as text or as one JSON object a line. It owns the
// default spdlog logger; what is logged is decided where it happens (never secrets, prompts,
// answers).
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Requires: level is one of trace, debug, info, warning, error, off; format is text or json.
// Text is coloured on a terminal unless NO_COLOR is set.
void configure_log(const std::string& level, std::string_view format);

}  // namespace sluice
