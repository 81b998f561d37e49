#include "log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "json_text.h"

namespace sluice {
namespace {

// The message as a JSON string, quotes included; spdlog's own %v does not escape.
class JsonMessageFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text =
        json_string(std::string_view(message.payload.data(), message.payload.size()));
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<JsonMessageFlag>();
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
  formatter->add_flag<JsonMessageFlag>('*');
  formatter->add_flag<SubjectFlag>('&', json);
  formatter->set_pattern(json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%&"message":%*})"
                              : "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %&%v");
  return formatter;
}

}  // namespace

void configure_log(const std::string& level, std::string_view format) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool plain = no_color != nullptr && *no_color != '\0';
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_st>(
      plain ? spdlog::color_mode::never : spdlog::color_mode::automatic);
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
