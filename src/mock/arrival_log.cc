#include "mock/arrival_log.h"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sluice {

Result<std::unique_ptr<ArrivalLog>> ArrivalLog::open(Clock& clock, const std::string& path) {
  std::ofstream file(path, std::ios::app | std::ios::binary);
  if (!file) {
    return tl::unexpected(Error{
        Error::Action::refuse, {}, "cannot write the log " + path + ": " + std::strerror(errno)});
  }
  return std::unique_ptr<ArrivalLog>(new ArrivalLog(clock, std::move(file)));
}

ArrivalLog::ArrivalLog(Clock& clock, std::ofstream file) : clock_(clock), file_(std::move(file)) {}

ArrivalLog::~ArrivalLog() {
  if (timer_ != 0) clock_.cancel(timer_);
  flush();
}

void ArrivalLog::append(std::string_view line) {
  buffer_.append(line);
  buffer_ += '\n';
  if (buffer_.size() >= buffer_bytes_max) return flush();
  if (timer_ != 0) return;
  timer_ = clock_.call_at(clock_.now_ns() + flush_interval_ms * ns_per_ms, [this] {
    timer_ = 0;
    flush();
  });
}

void ArrivalLog::flush() {
  if (buffer_.empty()) return;
  const bool was_good = file_.good();
  file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size())).flush();
  if (was_good && !file_) spdlog::error("mock: the log cannot be written any more");
  buffer_.clear();
}

}  // namespace sluice
