// MultipartReader reads a multipart/form-data body (RFC 7578) as it comes. It owns what has come
// and was not taken yet: no more than the last piece and a boundary's length. Pure. (libmicrohttpd
// has a reader, too, but only for a whole connection: it could not be fuzzed.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

struct MultipartEvent {
  enum class Kind { part, data, end_of_part };
  Kind kind;
  std::string text;                     // part: its name; data: the next of its bytes
  std::optional<std::string> filename;  // part: if it is a file
};

class MultipartReader final {
 public:
  // `boundary`: see multipart_boundary().
  explicit MultipartReader(std::string_view boundary);

  void feed(std::string_view piece) { buffer_.append(piece); }
  // The next event of the bytes fed so far; nullopt: feed more, or is_whole(), or is_broken().
  std::optional<MultipartEvent> next();

  bool is_whole() const { return state_ == State::whole; }  // its last boundary was there
  bool is_broken() const { return state_ == State::broken; }

 private:
  enum class State { preamble, boundary, headers, data, whole, broken };

  bool skip_preamble();
  bool read_boundary();
  std::optional<MultipartEvent> read_headers();
  std::optional<MultipartEvent> read_data();

  std::string delimiter_;        // CRLF, two dashes, boundary
  std::string buffer_ = "\r\n";  // the first boundary has none before it
  State state_ = State::preamble;
  int parts_ = 0;
};

// The boundary that a Content-Type names; empty if it is no multipart/form-data or the boundary is
// not one.
std::string multipart_boundary(std::string_view content_type);

}  // namespace sluice
