#include "runtime/answer_body.h"

#include <chrono>
#include <utility>

namespace sluice {
namespace {

int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void AnswerBody::begin(int status, const HttpFields& headers, std::function<void()> on_room) {
  response_.first_byte_ns = clock_.now_ns();
  response_.memory =
      std::make_shared<MemoryBudget::Hold>(memory_, target_.origin, std::move(on_room));
  const std::string_view type = find_field(headers, "content-type");
  if (status / 100 != 2 || !begins_in_any_case(type, "text/event-stream")) return;
  sink_ = request_.event_stream;
  if (sink_ != nullptr) sink_->begin(headers);
}

int64_t AnswerBody::bytes_with(std::string_view bytes) const {
  const size_t kept = sink_ != nullptr ? sink_->bytes() : response_.body.size();
  return static_cast<int64_t>(kept + bytes.size());
}

AnswerBody::Taken AnswerBody::take(std::string_view bytes) {
  const int64_t all = bytes_with(bytes);
  if (sink_ == nullptr && all > request_.response_bytes_max) return Taken::too_large;
  if (!response_.memory->grow_to(all)) return Taken::no_room;
  return keep(bytes);
}

AnswerBody::Taken AnswerBody::take_anyway(std::string_view bytes) {
  response_.memory->grow_anyway_to(bytes_with(bytes));
  return keep(bytes);
}

AnswerBody::Taken AnswerBody::keep(std::string_view bytes) {
  if (sink_ != nullptr) return sink_->take(bytes) ? Taken::yes : Taken::too_large;
  response_.body.append(bytes);
  return Taken::yes;
}

HttpResponse AnswerBody::finish(int status, HttpFields headers) {
  response_.status = status;
  response_.headers = std::move(headers);
  response_.received_unix_ms = unix_ms();
  if (response_.memory) response_.memory->end();
  return std::move(response_);
}

}  // namespace sluice
