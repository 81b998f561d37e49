// HttpBody is the body of a request, produced piece by piece. A large text in it is escaped as a
// JSON string only when its piece is due, so it never exists in its escaped form, which may be six
// times as large, and no turn of the loop escapes much of it. A small text is escaped at once, in
// one piece.
//
// Thread rule: none of its own; one user at a time. Its bytes are never logged.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

class HttpBody final {
 public:
  // A text above this size is escaped on its way.
  static constexpr size_t small_text_bytes_max = size_t{64} << 10;
  // So much of it at a time: some 50 us.
  static constexpr size_t text_piece_bytes = size_t{16} << 10;

  HttpBody() = default;
  HttpBody(std::string bytes);  // NOLINT: a text is a body

  void append(std::string_view bytes);
  // As a JSON string with its quotes.
  void append_json_string(std::string text);
  // Something that goes when the bytes go: where they are counted.
  void keep(std::shared_ptr<const void> owned);

  // As it is sent, whatever of it has been given out.
  size_t size() const { return size_; }
  // The next piece, valid until the next call; empty: the end.
  std::string_view rest();
  // So much of that has been taken.
  void skip(size_t bytes);
  // To its beginning. False: it has been given back.
  bool rewind();
  // It is sent, and not needed any more: gives its memory back.
  void give_back();

 private:
  struct Part {
    std::string bytes;
    bool is_text = false;  // to be escaped
  };
  std::string& last_bytes();

  std::vector<Part> parts_;
  std::vector<std::shared_ptr<const void>> owned_;
  size_t size_ = 0;
  bool is_given_back_ = false;
  size_t part_ = 0;        // of the next byte
  size_t at_ = 0;          // what of that part has been taken, or escaped
  std::string escaped_;    // a piece of it
  size_t escaped_at_ = 0;  // what of that has been taken
};

}  // namespace sluice
