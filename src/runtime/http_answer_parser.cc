#include "runtime/http_answer_parser.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/http_common.h"

namespace sluice {
namespace {

// As lenient as curl where framing does not depend on it, for backends of all kinds answer.
void be_lenient(llhttp_t& parser) {
  llhttp_set_lenient_headers(&parser, 1);
  llhttp_set_lenient_optional_cr_before_lf(&parser, 1);
  llhttp_set_lenient_spaces_after_chunk_size(&parser, 1);
  llhttp_set_lenient_chunked_length(&parser, 1);  // chunks count; see on_message_complete()
}

// No name, or letters that none has: curl keeps such a field, and nobody needs it.
bool has_odd_name(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.starts_with("HTTP/")) return false;
  const std::string_view letters = trim(line.substr(0, colon), " \t");
  return letters.empty() || !std::all_of(letters.begin(), letters.end(), is_token_char);
}

// Results of on_headers_complete(). Four of the interim answers llhttp knows by itself.
constexpr int body_as_declared = 0;
constexpr int no_body = 1;

bool has_no_body(int status) {
  return status == 204 || status == 304;
}

}  // namespace

HttpAnswerParser::HttpAnswerParser(Reader& reader) : reader_(reader) {
  llhttp_init(&parser_, HTTP_RESPONSE, &settings());
  be_lenient(parser_);
  parser_.data = this;
  headers_.reserve(response_headers_usual);
}

const llhttp_settings_t& HttpAnswerParser::settings() {
  static const llhttp_settings_t kept = [] {
    llhttp_settings_t made;
    llhttp_settings_init(&made);
    made.on_message_begin = &HttpAnswerParser::on_message_begin;
    made.on_header_field = &HttpAnswerParser::on_name;
    made.on_header_field_complete = &HttpAnswerParser::on_name_complete;
    made.on_header_value = &HttpAnswerParser::on_value;
    made.on_header_value_complete = &HttpAnswerParser::on_value_complete;
    made.on_headers_complete = &HttpAnswerParser::on_headers_complete;
    made.on_chunk_header = &HttpAnswerParser::on_chunk_header;
    made.on_body = &HttpAnswerParser::on_body;
    made.on_message_complete = &HttpAnswerParser::on_message_complete;
    return made;
  }();
  return kept;
}

// Of the head each field goes to llhttp as a whole line, so that odd ones can be left out: it knows
// no leniency for their names.
HttpAnswerParser::State HttpAnswerParser::take(std::string_view bytes) {
  while (state_ == State::unfinished && !has_head_ && !bytes.empty()) {
    const size_t line_end = bytes.find('\n');
    const std::string_view piece =
        bytes.substr(0, line_end == bytes.npos ? line_end : line_end + 1);
    bytes.remove_prefix(piece.size());
    if (piece.find('\0') != piece.npos) {
      refuse("a NUL in its head");
    } else {
      take_of_head(piece);
    }
    if (!has_head_ && state_ == State::unfinished &&
        bytes_ + std::ssize(line_) > response_headers_bytes_max) {
      state_ = State::too_large;
    }
  }
  if (state_ == State::unfinished) {
    feed(bytes);
  } else if (!bytes.empty()) {
    may_reuse_ = false;
  }
  return state_;
}

void HttpAnswerParser::take_of_head(std::string_view piece) {
  const bool is_whole = piece.ends_with('\n');
  if (!has_first_line_) {
    has_first_line_ = is_whole;
    return feed(piece);
  }
  line_.append(piece);
  if (!is_whole) return;
  const bool goes_on = line_.starts_with(' ') || line_.starts_with('\t');
  if (!goes_on) is_left_out_ = has_odd_name(line_);
  if (is_left_out_) {
    bytes_ += std::ssize(line_);
  } else {
    feed(line_);
  }
  line_.clear();
}

void HttpAnswerParser::feed(std::string_view bytes) {
  piece_ = bytes.data();
  const llhttp_errno_t error = llhttp_execute(&parser_, bytes.data(), bytes.size());
  bytes_ += std::ssize(bytes);
  // A fault in trailers harms nothing: we do not read them.
  if (state_ == State::unfinished && error != HPE_OK) {
    state_ = has_body_ ? State::whole : State::broken;
    may_reuse_ = false;
  }
  // More than was asked for: whose answer it is to be nobody knows.
  if (state_ == State::whole && llhttp_get_error_pos(&parser_) != bytes.data() + bytes.size()) {
    may_reuse_ = false;
  }
}

HttpAnswerParser::State HttpAnswerParser::take_end() {
  if (!line_.empty()) feed(std::exchange(line_, {}));
  if (state_ == State::unfinished) llhttp_finish(&parser_);
  if (state_ == State::unfinished) state_ = State::broken;
  return state_;
}

int HttpAnswerParser::refuse(const char* reason) {
  state_ = State::broken;
  reason_ = reason;
  return HPE_USER;
}

std::string HttpAnswerParser::problem() const {
  constexpr const char* prefix = "the answer is not HTTP: ";
  if (reason_ != nullptr) return std::string(prefix) + reason_;
  if (llhttp_get_errno(&parser_) == HPE_OK) {
    return bytes_ == 0 ? "the connection ended before an answer came"
                       : "the connection ended within the answer";
  }
  const char* reason = llhttp_get_error_reason(&parser_);
  return std::string(prefix) + (reason != nullptr ? reason : "unknown");
}

// Called again for the same request: the message before was an interim answer.
int HttpAnswerParser::on_message_begin(llhttp_t* parser) {
  HttpAnswerParser& self = of(parser);
  self.headers_.clear();
  self.is_in_name_ = false;
  self.is_left_out_ = true;
  return HPE_OK;
}

// Of trailers nobody needs any, and a field that steers must not come after the body.
int HttpAnswerParser::keep(std::string HttpFields::value_type::*part, std::string_view bytes) {
  kept_bytes_ += static_cast<int64_t>(bytes.size());
  if (kept_bytes_ > response_headers_bytes_max) {
    state_ = State::too_large;
    return HPE_USER;
  }
  if (!has_head_) (headers_.back().*part).append(bytes);
  return HPE_OK;
}

int HttpAnswerParser::on_name(llhttp_t* parser, const char* data, size_t size) {
  HttpAnswerParser& self = of(parser);
  if (!self.is_in_name_ && !self.has_head_) self.headers_.emplace_back();
  self.is_in_name_ = true;
  return self.keep(&HttpFields::value_type::first, std::string_view(data, size));
}

// A header takes room beside its letters; endless empty ones do, too.
int HttpAnswerParser::on_name_complete(llhttp_t* parser) {
  HttpAnswerParser& self = of(parser);
  self.is_in_name_ = false;
  self.kept_bytes_ += std::ssize(std::string_view(": \r\n"));
  return HPE_OK;
}

int HttpAnswerParser::on_value(llhttp_t* parser, const char* data, size_t size) {
  return of(parser).keep(&HttpFields::value_type::second, std::string_view(data, size));
}

int HttpAnswerParser::on_value_complete(llhttp_t* parser) {
  HttpAnswerParser& self = of(parser);
  if (self.has_head_) return HPE_OK;
  auto& [name, value] = self.headers_.back();
  for (char& c : name) c = to_lower(c);
  for (std::string* text : {&name, &value}) {
    while (text->ends_with(' ') || text->ends_with('\t')) text->pop_back();
  }
  return HPE_OK;
}

int HttpAnswerParser::on_headers_complete(llhttp_t* parser) {
  HttpAnswerParser& self = of(parser);
  if (parser->http_major == 0 || parser->status_code < 100) {
    return self.refuse("a version or status that there is not");
  }
  if (parser->status_code == 101) {
    return self.refuse("it changes to a protocol that nobody asked for");
  }
  self.has_head_ = parser->status_code / 100 != 1;
  self.declares_body_ = (parser->flags & F_TRANSFER_ENCODING) != 0 || parser->content_length > 0;
  return self.has_head_ ? body_as_declared : no_body;
}

int HttpAnswerParser::on_chunk_header(llhttp_t* parser) {
  of(parser).has_body_ = parser->content_length == 0;
  return HPE_OK;
}

int HttpAnswerParser::on_body(llhttp_t* parser, const char* data, size_t size) {
  HttpAnswerParser& self = of(parser);
  if (self.body_bytes_ == 0) {
    // The head and, of chunks, the first one's size.
    self.head_bytes_ = self.bytes_ + (data - self.piece_);
  }
  self.body_bytes_ += static_cast<int64_t>(size);
  return self.reader_.on_body(std::string_view(data, size)) ? HPE_OK : HPE_USER;
}

int HttpAnswerParser::on_message_complete(llhttp_t* parser) {
  HttpAnswerParser& self = of(parser);
  if (parser->status_code / 100 == 1) return HPE_OK;
  // An answer with both framings, or with one and a status that has no body, may end elsewhere for
  // its sender.
  const bool has_both = (parser->flags & F_CHUNKED) != 0 && (parser->flags & F_CONTENT_LENGTH) != 0;
  const bool has_none = self.declares_body_ && has_no_body(parser->status_code);
  self.may_reuse_ = llhttp_should_keep_alive(parser) != 0 && !has_both && !has_none;
  self.state_ = State::whole;
  return HPE_PAUSED;
}

}  // namespace sluice
