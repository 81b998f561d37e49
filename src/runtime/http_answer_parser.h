// HttpAnswerParser reads one HTTP/1 answer from the bytes of a connection, in pieces of any size.
// It owns a parser of llhttp and the unfinished parts. Interim answers (100 Continue) are skipped.
// It knows no socket and judges no status.
//
// Any thread, one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/http_fields.h"
#include "third_party/llhttp/llhttp.h"

namespace sluice {

class HttpAnswerParser final {
 public:
  class Reader {
   public:
    virtual ~Reader() = default;
    // A piece of the body, after the head. False: no more of this answer is wanted.
    virtual bool on_body(std::string_view bytes) = 0;
  };
  enum class State {
    unfinished,
    whole,
    too_large,  // its head
    broken,     // no HTTP, cut off, or not wanted any more
  };

  // The reader outlives it.
  explicit HttpAnswerParser(Reader& reader);
  HttpAnswerParser(const HttpAnswerParser&) = delete;
  HttpAnswerParser& operator=(const HttpAnswerParser&) = delete;

  // Takes the bytes that have come; only while unfinished.
  State take(std::string_view bytes);
  // The other side has sent all that it will.
  State take_end();

  State state() const { return state_; }
  int status() const { return parser_.status_code; }
  // Names in lower case; no trailers.
  HttpFields& headers() { return headers_; }
  // Whether the connection can carry another request when the answer is whole.
  bool may_reuse() const { return may_reuse_; }
  // Bytes that were neither head nor body.
  int64_t padding_bytes() const { return bytes_ - head_bytes_ - body_bytes_; }
  int64_t body_bytes() const { return body_bytes_; }
  // The fault of a broken answer.
  std::string problem() const;

 private:
  static const llhttp_settings_t& settings();
  static HttpAnswerParser& of(llhttp_t* parser) {
    return *static_cast<HttpAnswerParser*>(parser->data);
  }
  static int on_message_begin(llhttp_t* parser);
  static int on_name(llhttp_t* parser, const char* data, size_t size);
  static int on_name_complete(llhttp_t* parser);
  static int on_value(llhttp_t* parser, const char* data, size_t size);
  static int on_value_complete(llhttp_t* parser);
  static int on_headers_complete(llhttp_t* parser);
  static int on_chunk_header(llhttp_t* parser);
  static int on_body(llhttp_t* parser, const char* data, size_t size);
  static int on_message_complete(llhttp_t* parser);
  void take_of_head(std::string_view piece);
  void feed(std::string_view bytes);
  int refuse(const char* reason);
  int keep(std::string HttpFields::value_type::*part, std::string_view bytes);

  Reader& reader_;
  llhttp_t parser_;
  HttpFields headers_;
  State state_ = State::unfinished;
  std::string line_;  // of the head, as far as it has come
  bool has_first_line_ = false;
  bool is_left_out_ = false;  // the last line, and what goes on with it
  bool is_in_name_ = false;
  bool has_head_ = false;
  bool declares_body_ = false;
  bool has_body_ = false;  // the last chunk has come; trailers may follow
  bool may_reuse_ = false;
  const char* reason_ = nullptr;  // ours, why it is broken
  int64_t bytes_ = 0;
  int64_t head_bytes_ = 0;  // all that came until the head was whole
  int64_t kept_bytes_ = 0;  // of names and values, interim ones included
  int64_t body_bytes_ = 0;
  const char* piece_ = nullptr;  // what feed() was given, while it runs
};

}  // namespace sluice
