#pragma once

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

namespace sluice {

// The lines logged for as long as it lives.
class LogLines {
 public:
  LogLines() : before_(spdlog::default_logger()) {
    auto logger = std::make_shared<spdlog::logger>(
        "lines", std::make_shared<spdlog::sinks::ostream_sink_st>(text_));
    logger->set_pattern("%l: %v");
    spdlog::set_default_logger(std::move(logger));
  }
  ~LogLines() { spdlog::set_default_logger(before_); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  std::string take() {
    std::string lines = text_.str();
    text_.str("");
    return lines;
  }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_;
};

}  // namespace sluice
