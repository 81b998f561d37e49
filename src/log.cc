#include "log.h"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "counted.h"
#include "harmless_text.h"
#include "json_text.h"

namespace sluice {
namespace {

std::string json_message(std::string_view text) {
  return harmless_json(json_string(text));
}

// The longest beginning of `text`, in whole characters, that takes `bytes_max` as a JSON string.
std::string_view beginning_of(std::string_view text, size_t bytes_max) {
  constexpr size_t escape_bytes_max = 6;  // \u001b, a byte's most
  std::string_view beginning = text.substr(0, bytes_max);
  while (!beginning.empty()) {
    const bool is_cut_in_character =
        beginning.size() < text.size() && (text[beginning.size()] & 0xc0) == 0x80;
    const size_t bytes = json_message(beginning).size();
    if (!is_cut_in_character && bytes <= bytes_max) break;
    const size_t excess = bytes > bytes_max ? bytes - bytes_max : 1;
    beginning.remove_suffix((excess + escape_bytes_max - 1) / escape_bytes_max);
  }
  return beginning;
}

// The message as a JSON string, quotes included; spdlog's own %v does not escape.
class JsonMessageFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text =
        json_message(std::string_view(message.payload.data(), message.payload.size()));
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<JsonMessageFlag>();
  }
};

// The message on one line: a model's name, say, may hold a line of its own and codes for terminals.
class TextMessageFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text =
        harmless_line(std::string_view(message.payload.data(), message.payload.size()));
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<TextMessageFlag>();
  }
};

// Lines are formatted while they are logged, on the one thread that logs.
std::optional<LogSubject> present_subject;

// The subject of the line, if it has one.
class SubjectFlag final : public spdlog::custom_flag_formatter {
 public:
  explicit SubjectFlag(bool json) : json_(json) {}
  void format(const spdlog::details::log_msg& /*message*/, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    if (!present_subject) return;
    const auto [task, fence] = *present_subject;
    const std::string text = json_ ? fmt::format(R"("task":{},"fence":{},)", task, fence)
                                   : fmt::format("task {} fence {}: ", task, fence);
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<SubjectFlag>(json_);
  }

 private:
  bool json_;
};

std::unique_ptr<spdlog::formatter> make_formatter(bool json) {
  constexpr auto utc = spdlog::pattern_time_type::utc;
  auto formatter = std::make_unique<spdlog::pattern_formatter>(utc);
  if (json) {
    formatter->add_flag<JsonMessageFlag>('*');
  } else {
    formatter->add_flag<TextMessageFlag>('*');
  }
  formatter->add_flag<SubjectFlag>('&', json);
  formatter->set_pattern(json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%&"message":%*})"
                              : "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %&%*");
  return formatter;
}

// stderr may be a pipe that nobody reads: a line that does not fit now is dropped rather than let
// the loop wait. The next line says how many were dropped.
class ImpatientSink final : public spdlog::sinks::stderr_color_sink_st {
  using Waiting = spdlog::sinks::stderr_color_sink_st;

 public:
  explicit ImpatientSink(spdlog::color_mode mode) : Waiting(mode) {}

  void log(const spdlog::details::log_msg& message) override {
    if (!has_room()) {
      ++dropped_;
      return;
    }
    if (const auto dropped = std::exchange(dropped_, 0); dropped > 0) {
      const std::string text =
          fmt::format("{} dropped: nobody read stderr", counted(dropped, "line"));
      const spdlog::details::log_msg word(message.time, {}, "", spdlog::level::warn, text);
      Waiting::log(word);
      return log(message);
    }
    const std::string_view text(message.payload.data(), message.payload.size());
    const std::string_view beginning = beginning_of(text, message_bytes_max);
    if (beginning.size() == text.size()) return Waiting::log(message);
    const std::string cut_text = std::string(beginning) + "…";
    spdlog::details::log_msg cut = message;
    cut.payload = cut_text;
    Waiting::log(cut);
  }

 private:
  // A pipe that can be written to takes PIPE_BUF bytes without waiting: a message, escaped for
  // JSON, and what stands around it (time, level, subject, colours: 150 bytes at most).
  static constexpr size_t message_bytes_max = PIPE_BUF - 256;

  static bool has_room() {
    pollfd err{STDERR_FILENO, POLLOUT, 0};
    return poll(&err, 1, 0) == 1 && (err.revents & POLLOUT) != 0;
  }

  int64_t dropped_ = 0;
};

}  // namespace

void configure_log(const std::string& level, std::string_view format) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool plain = no_color != nullptr && *no_color != '\0';
  auto sink = std::make_shared<ImpatientSink>(plain ? spdlog::color_mode::never
                                                    : spdlog::color_mode::automatic);
  auto logger = std::make_shared<spdlog::logger>("sluice", std::move(sink));
  logger->set_formatter(make_formatter(format == "json"));
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

void log_about(spdlog::level::level_enum level, LogSubject subject, std::string_view message) {
  present_subject = subject;
  spdlog::log(level, "{}", message);
  present_subject.reset();
}

}  // namespace sluice
