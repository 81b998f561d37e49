// Logging: to stderr, as text or as one JSON object a line. It owns the default spdlog logger,
// which never waits: lines that stderr does not take at once are dropped, and counted in the next
// line. The callers decide what is logged: never secrets, prompts or answers.
#pragma once

#include <spdlog/common.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// Requires: level is one of trace, debug, info, warning, error, off; format is text or json.
// Text is coloured on a terminal unless NO_COLOR is set.
void configure_log(const std::string& level, std::string_view format);

// The call that a line is about.
struct LogSubject {
  int64_t task_id = 0;
  int64_t fence = 0;
};

// Logs `message` with its subject: in JSON as the fields task and fence, else in front of it.
void log_about(spdlog::level::level_enum level, LogSubject subject, std::string_view message);

}  // namespace sluice
