#include "backends/stream.h"

#include <fmt/format.h>

#include <utility>

#include "backends/json_fields.h"

namespace sluice {
namespace {

// A stream has a JSON object around each token, comments and padding: some 60 bytes for each that
// is kept, but then the answer is small. One that sends more than so many answers of the largest
// size is none.
constexpr size_t taken_per_kept_max = 8;

// An event costs the loop some microseconds, whatever is in it. The shortest that says something
// has 46 bytes (`data: {"choices":[{"delta":{"content":"a"}}]}`), and so many may be shorter
// than 32.
constexpr size_t short_events_max = 10'000;
constexpr size_t event_bytes_min = 32;

}  // namespace

StreamedBody::StreamedBody(std::unique_ptr<Assembly> assembly, size_t bytes_max, OnBegin on_begin)
    : assembly_(std::move(assembly)),
      bytes_max_(bytes_max),
      on_begin_(std::move(on_begin)),
      parser_(bytes_max, [this](const Event& event) { on_event(event); }) {}

void StreamedBody::begin(const HttpFields& headers) {
  has_begun_ = true;
  on_begin_(headers);
}

bool StreamedBody::take(std::string_view bytes) {
  taken_bytes_ += bytes.size();
  return taken_bytes_ <= taken_per_kept_max * bytes_max_ && parser_.take(bytes) &&
         events_ <= short_events_max + taken_bytes_ / event_bytes_min &&
         assembly_->bytes() <= bytes_max_;
}

size_t StreamedBody::bytes() const {
  return parser_.bytes() + assembly_->bytes();
}

std::optional<std::string> StreamedBody::body() const {
  if (error_) return error_;
  return is_broken_ ? std::nullopt : assembly_->body();
}

void StreamedBody::on_event(const Event& event) {
  if (error_ || is_done_ || event.data.empty()) return;
  ++events_;
  if (event.data == "[DONE]") {
    is_done_ = true;
    assembly_->end();
    return;
  }
  JsonReader reader;
  const std::optional<simdjson::dom::element> data = reader.read(event.data);
  if (!data || !data->is_object()) {
    is_broken_ = true;  // a piece of the answer is missing
  } else if (field_of(*data, "error")) {
    error_ = event.data;
  } else if (event.type == "error" || text_of(*data, "type") == "error") {
    error_ = fmt::format(R"({{"error":{}}})", event.data);
  } else {
    assembly_->take(*data);
  }
}

}  // namespace sluice
