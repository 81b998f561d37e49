#include "backends/sse.h"

#include <utility>

namespace sluice {

EventParser::EventParser(size_t event_bytes_max, OnEvent on_event)
    : event_bytes_max_(event_bytes_max), on_event_(std::move(on_event)) {}

bool EventParser::take(std::string_view bytes) {
  while (!bytes.empty() && !is_too_large_) {
    if (std::exchange(after_carriage_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > event_bytes_max_) is_too_large_ = true;
    if (is_too_large_) break;
    line_ += piece;
    if (end == std::string_view::npos) break;
    after_carriage_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line();
  }
  return !is_too_large_;
}

void EventParser::end_line() {
  std::string_view line = line_;
  if (std::exchange(is_first_line_, false) && line.starts_with("\xEF\xBB\xBF")) {
    line.remove_prefix(3);
  }
  if (line.empty()) {
    dispatch();
  } else if (line.front() != ':') {  // a comment keeps the connection alive
    const size_t colon = line.find(':');
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
  }
  line_.clear();
}

// "id" and "retry" are for browsers that reconnect.
void EventParser::take_field(std::string_view name, std::string_view value) {
  if (name == "event") {
    type_ = value;
  } else if (name == "data") {
    if (std::exchange(has_data_, true)) data_ += '\n';
    if (data_.size() + value.size() > event_bytes_max_) {
      is_too_large_ = true;
    } else {
      data_ += value;
    }
  }
}

void EventParser::dispatch() {
  if (std::exchange(has_data_, false)) on_event_(Event{type_, data_});
  type_.clear();
  data_.clear();
}

}  // namespace sluice
