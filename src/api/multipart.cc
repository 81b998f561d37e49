#include "api/multipart.h"

#include <algorithm>
#include <utility>

#include "runtime/http_fields.h"

namespace sluice {
namespace {

constexpr std::string_view form_data = "multipart/form-data";
constexpr size_t boundary_chars_max = 70;              // RFC 2046
constexpr size_t headers_bytes_max = size_t{8} << 10;  // of one part
constexpr int parts_max = 32;                          // each costs a move of what has come
constexpr size_t padding_bytes_max = 256;              // blanks behind a boundary
constexpr std::string_view blanks = " \t";

// Takes a value, quoted or not, off `text`. A backslash quotes a quote or a backslash; others stand
// for themselves, for browsers and curl write them so.
std::string take_value(std::string_view& text) {
  std::string value;
  if (!text.starts_with('"')) {
    const size_t end = std::min(text.find(';'), text.size());
    value = trim(text.substr(0, end), blanks);
    text.remove_prefix(end);
    return value;
  }
  text.remove_prefix(1);
  while (!text.empty() && text.front() != '"') {
    if (text.starts_with("\\\"") || text.starts_with("\\\\")) text.remove_prefix(1);
    value += text.front();
    text.remove_prefix(1);
  }
  if (!text.empty()) text.remove_prefix(1);
  return value;
}

// The parameter `name` of a header such as `form-data; name="file"; filename="a.jsonl"`.
std::optional<std::string> parameter(std::string_view header, std::string_view name) {
  size_t at = header.find(';');
  while (at != std::string_view::npos) {
    header.remove_prefix(at + 1);
    const size_t equals = header.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view found = trim(header.substr(0, equals), blanks);
    header.remove_prefix(equals + 1);
    header.remove_prefix(std::min(header.find_first_not_of(blanks), header.size()));
    std::string value = take_value(header);
    if (is_in_any_case(found, name)) return value;
    at = header.find(';');
  }
  return std::nullopt;
}

// The value of Content-Disposition among a part's headers; empty without one.
std::string_view disposition(std::string_view headers) {
  constexpr std::string_view name = "content-disposition:";
  while (!headers.empty()) {
    const size_t end = std::min(headers.find("\r\n"), headers.size());
    const std::string_view line = headers.substr(0, end);
    if (begins_in_any_case(line, name)) return trim(line.substr(name.size()), blanks);
    headers.remove_prefix(std::min(end + 2, headers.size()));
  }
  return {};
}

}  // namespace

MultipartReader::MultipartReader(std::string_view boundary)
    : delimiter_("\r\n--" + std::string(boundary)) {}

std::optional<MultipartEvent> MultipartReader::next() {
  if (state_ == State::preamble && !skip_preamble()) return std::nullopt;
  if (state_ == State::boundary && !read_boundary()) return std::nullopt;
  if (state_ == State::headers) return read_headers();
  if (state_ == State::data) return read_data();
  buffer_.clear();  // what follows the last boundary is nobody's
  return std::nullopt;
}

bool MultipartReader::skip_preamble() {
  const size_t found = buffer_.find(delimiter_);
  if (found == std::string::npos) {
    if (buffer_.size() > delimiter_.size()) buffer_.erase(0, buffer_.size() - delimiter_.size());
    return false;
  }
  buffer_.erase(0, found + delimiter_.size());
  state_ = State::boundary;
  return true;
}

// Reads the end of a delimiter: two dashes after the last part, else blanks and the end of the
// line.
bool MultipartReader::read_boundary() {
  if (buffer_.size() < 2) return false;
  if (buffer_.starts_with("--")) {
    state_ = State::whole;
    return true;
  }
  const size_t end = std::min(buffer_.find_first_not_of(blanks), buffer_.size());
  if (end > padding_bytes_max || !std::string_view("\r\n").starts_with(buffer_.substr(end, 2))) {
    state_ = State::broken;
    return false;
  }
  if (buffer_.size() - end < 2) return false;
  buffer_.erase(0, end);  // the line's end stays: headers may be none
  state_ = State::headers;
  return true;
}

std::optional<MultipartEvent> MultipartReader::read_headers() {
  const size_t end = buffer_.find("\r\n\r\n");
  if (end > headers_bytes_max) {  // or there is none
    // Its last three bytes may be the beginning of the end.
    if (buffer_.size() > headers_bytes_max + 3) state_ = State::broken;
    return std::nullopt;
  }
  const std::string headers = buffer_.substr(2, end < 2 ? 0 : end - 2);
  buffer_.erase(0, end + 4);
  const std::string_view about = disposition(headers);
  auto name = parameter(about, "name");
  if (!name || ++parts_ > parts_max) {
    state_ = State::broken;
    return std::nullopt;
  }
  state_ = State::data;
  return MultipartEvent{MultipartEvent::Kind::part, std::move(*name), parameter(about, "filename")};
}

// All but what may be the beginning of the delimiter.
std::optional<MultipartEvent> MultipartReader::read_data() {
  const size_t found = buffer_.find(delimiter_);
  if (found == 0) {
    buffer_.erase(0, delimiter_.size());
    state_ = State::boundary;
    return MultipartEvent{MultipartEvent::Kind::end_of_part, {}, {}};
  }
  const size_t doubtful = std::min(buffer_.size(), delimiter_.size() - 1);
  const size_t bytes = found == std::string::npos ? buffer_.size() - doubtful : found;
  if (bytes == 0) return std::nullopt;
  MultipartEvent event{MultipartEvent::Kind::data, buffer_.substr(0, bytes), {}};
  buffer_.erase(0, bytes);
  return event;
}

std::string multipart_boundary(std::string_view content_type) {
  if (!begins_in_any_case(content_type, form_data)) return {};
  std::string boundary = parameter(content_type.substr(form_data.size()), "boundary").value_or("");
  if (boundary.size() > boundary_chars_max || boundary.ends_with(' ')) return {};
  return boundary;
}

}  // namespace sluice
