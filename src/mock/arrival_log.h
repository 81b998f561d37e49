// ArrivalLog appends one line for each arrival to a file: whole lines, written together at most
// `flush_interval_ms` after their arrival, and when it is destroyed. It knows no format.
//
// Thread rule: loop thread only. The clock outlives it. A write that fails is reported once, and
// ends the log.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "result.h"
#include "runtime/clock.h"

namespace sluice {

class ArrivalLog final {
 public:
  static constexpr int64_t flush_interval_ms = 100;
  static constexpr size_t buffer_bytes_max = 1 << 20;  // then it does not wait for the interval

  static Result<std::unique_ptr<ArrivalLog>> open(Clock& clock, const std::string& path);
  ~ArrivalLog();
  ArrivalLog(const ArrivalLog&) = delete;
  ArrivalLog& operator=(const ArrivalLog&) = delete;

  void append(std::string_view line);  // without its line break

 private:
  ArrivalLog(Clock& clock, std::ofstream file);
  void flush();

  Clock& clock_;
  std::ofstream file_;
  std::string buffer_;
  Clock::TimerId timer_ = 0;
};

}  // namespace sluice
