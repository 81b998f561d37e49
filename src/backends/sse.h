// EventParser takes the bytes of a text/event-stream in pieces of any size and gives its events, as
// the HTML standard says. It owns the unfinished event and nothing else; what events mean is not
// its business.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace sluice {

struct Event {
  std::string_view type;  // empty: none given
  std::string_view data;  // lines joined by \n
};

class EventParser final {
 public:
  using OnEvent = std::function<void(const Event&)>;

  // `event_bytes_max`: of one event's data, and of one line.
  EventParser(size_t event_bytes_max, OnEvent on_event);

  // False, then and from then on: an event is too large.
  bool take(std::string_view bytes);

  // Of the unfinished event.
  size_t bytes() const { return line_.size() + data_.size(); }

 private:
  void end_line();
  void take_field(std::string_view name, std::string_view value);
  void dispatch();

  size_t event_bytes_max_;
  OnEvent on_event_;
  std::string line_;
  std::string type_;
  std::string data_;
  bool has_data_ = false;
  bool is_first_line_ = true;    // a byte order mark may stand there
  bool after_carriage_ = false;  // a line feed now belongs to the line end before it
  bool is_too_large_ = false;
};

}  // namespace sluice
