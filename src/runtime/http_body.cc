#include "runtime/http_body.h"

#include <utility>

#include "json_text.h"

namespace sluice {
namespace {

// Usual length of the part behind a prompt.
constexpr size_t tail_bytes_usual = 128;

}  // namespace

HttpBody::HttpBody(std::string bytes) : size_(bytes.size()) {
  parts_.push_back({std::move(bytes)});
}

std::string& HttpBody::last_bytes() {
  if (parts_.empty() || parts_.back().is_text) parts_.emplace_back();
  return parts_.back().bytes;
}

void HttpBody::append(std::string_view bytes) {
  last_bytes() += bytes;
  size_ += bytes.size();
}

void HttpBody::append_json_string(std::string text) {
  std::string& bytes = last_bytes();
  const size_t before = bytes.size();
  if (text.size() <= small_text_bytes_max) {
    bytes.reserve(before + text.size() + tail_bytes_usual);
    sluice::append_json_string(bytes, text);
    size_ += bytes.size() - before;
    return;
  }
  append("\"");
  size_ += json_escaped_bytes(text);
  parts_.push_back({std::move(text), true});
  append("\"");
}

void HttpBody::keep(std::shared_ptr<const void> owned) {
  if (owned) owned_.push_back(std::move(owned));
}

std::string_view HttpBody::rest() {
  for (; part_ < parts_.size(); ++part_, at_ = 0) {
    const Part& part = parts_[part_];
    const std::string_view left = std::string_view(part.bytes).substr(at_);
    if (!part.is_text && !left.empty()) return left;
    if (escaped_at_ < escaped_.size()) return std::string_view(escaped_).substr(escaped_at_);
    escaped_.clear();
    escaped_at_ = 0;
    if (left.empty()) continue;
    const std::string_view piece = left.substr(0, text_piece_bytes);
    append_json_escaped(escaped_, piece);
    at_ += piece.size();
    return escaped_;
  }
  return {};
}

void HttpBody::skip(size_t bytes) {
  if (part_ >= parts_.size()) return;
  (parts_[part_].is_text ? escaped_at_ : at_) += bytes;
}

bool HttpBody::rewind() {
  part_ = at_ = escaped_at_ = 0;
  escaped_.clear();
  return !is_given_back_;
}

void HttpBody::give_back() {
  is_given_back_ = true;
  std::vector<Part>().swap(parts_);
  std::string().swap(escaped_);
  owned_.clear();
}

}  // namespace sluice
