#include "runtime/http_answer_parser.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace sluice {
namespace {

using State = HttpAnswerParser::State;

struct Body final : HttpAnswerParser::Reader {
  bool on_body(std::string_view bytes) override {
    text += bytes;
    return true;
  }
  std::string text;
};

struct Read {
  State state;
  int status;
  HttpFields headers;
  std::string body;
  bool may_reuse;
  std::string problem;

  bool operator==(const Read&) const = default;
};

Read read(std::string_view bytes, size_t piece_bytes, bool ends) {
  Body body;
  HttpAnswerParser parser(body);
  for (size_t at = 0; at < bytes.size() && parser.state() == State::unfinished; at += piece_bytes) {
    parser.take(bytes.substr(at, piece_bytes));
  }
  if (ends && parser.state() == State::unfinished) parser.take_end();
  // Of one that is broken it says nothing.
  const int status = parser.state() == State::broken ? 0 : parser.status();
  return {parser.state(),     status,          parser.headers(), body.text,
          parser.may_reuse(), parser.problem()};
}

// However it is cut.
Read read(std::string_view bytes, bool ends = false) {
  const Read whole = read(bytes, bytes.size(), ends);
  for (const size_t piece_bytes : {size_t{1}, size_t{2}, size_t{7}}) {
    CAPTURE(piece_bytes);
    CHECK(read(bytes, piece_bytes, ends) == whole);
  }
  return whole;
}

}  // namespace

TEST_CASE("an answer's end is its length, its last chunk, or the connection's end") {
  const Read by_length = read("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Mixed:  A b \r\n\r\nabc");
  CHECK(by_length.state == State::whole);
  CHECK(by_length.status == 200);
  CHECK(by_length.body == "abc");
  CHECK(find_field(by_length.headers, "x-mixed") == "A b");
  CHECK(by_length.may_reuse);

  const Read chunked = read(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2;x=y\r\nab\r\n1 \r\nc\r\n0\r\nX-Trailer: t\r\n\r\n");
  CHECK(chunked.state == State::whole);
  CHECK(chunked.body == "abc");
  CHECK(chunked.headers == HttpFields{{"transfer-encoding", "chunked"}});  // no trailer
  CHECK(chunked.may_reuse);

  const std::string_view open = "HTTP/1.1 200 OK\r\n\r\nabc";
  CHECK(read(open).state == State::unfinished);
  const Read by_end = read(open, /*ends=*/true);
  CHECK(by_end.state == State::whole);
  CHECK(by_end.body == "abc");
  CHECK_FALSE(by_end.may_reuse);
}

TEST_CASE("answers without a body end with their head") {
  for (const char* head : {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n",
                           "HTTP/1.1 500\r\nContent-Length: 0\r\n\r\n"}) {
    CAPTURE(head);
    const Read got = read(head);
    CHECK(got.state == State::whole);
    CHECK(got.body.empty());
    CHECK(got.may_reuse);
  }
}

TEST_CASE("interim answers are passed over with their headers") {
  const Read got = read(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
  CHECK(got.state == State::whole);
  CHECK(got.status == 200);
  CHECK(got.headers == HttpFields{{"content-length", "1"}});
  CHECK(got.body == "a");
  const Read unknown = read(
      "HTTP/1.1 199 Odd\r\nContent-Length: 9\r\n\r\nHTTP/1.1 150 Odder\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
  CHECK(unknown.state == State::whole);
  CHECK(unknown.body == "a");
  const Read switched =
      read("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n");
  CHECK(switched.state == State::broken);
  CHECK(switched.problem ==
        "the answer is not HTTP: it changes to a protocol that nobody asked for");
}

TEST_CASE("an empty header is one, and lines may end without a carriage return") {
  const Read got = read("HTTP/1.0 200 OK\nX-Empty:\nX-Next: a\nContent-Length: 1\n\na");
  CHECK(got.state == State::whole);
  CHECK(got.headers == HttpFields{{"x-empty", ""}, {"x-next", "a"}, {"content-length", "1"}});
  CHECK_FALSE(got.may_reuse);
}

TEST_CASE("a field without a name, or with one that is none, is left out") {
  const Read got = read(
      "HTTP/1.1 200 OK\r\n\xff\xfe: \x01\r\n: nameless\r\nX-A: \x01\r\nContent-Length: 1\r\n\r\na");
  CHECK(got.state == State::whole);
  CHECK(got.headers == HttpFields{{"x-a", "\x01"}, {"content-length", "1"}});
  CHECK(read("HTTP/1.1 200 OK\r\nno colon\r\n\r\na", true).state == State::broken);
  // Nor does what goes on with it go on with the one before.
  const Read folded = read(
      "HTTP/1.1 200 OK\r\n x: leading\r\nX-A: a\r\n b\r\n\xff: odd\r\n c\r\n"
      "Content-Length: 1\r\n\r\na");
  CHECK(folded.state == State::whole);
  CHECK(folded.headers == HttpFields{{"x-a", "a b"}, {"content-length", "1"}});
  const Read blank = read("HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\na");
  CHECK(blank.state == State::whole);
  CHECK(blank.headers == HttpFields{{"content-length", "1"}});
}

TEST_CASE("a connection whose answer ends in doubt carries no other") {
  const auto head = std::string("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n");
  CHECK_FALSE(read(head + "Connection: close\r\n\r\nab").may_reuse);
  CHECK_FALSE(read(head + "\r\nabc", head.size() + 5, false).may_reuse);
  const Read both = read(head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n");
  CHECK(both.state == State::whole);
  CHECK(both.body == "a");
  CHECK_FALSE(both.may_reuse);
  for (const char* none : {"HTTP/1.1 204 No Content\r\nContent-Length: 1\r\n\r\n",
                           "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
                           "HTTP/1.1 304 Not Modified\r\nContent-Length: 1\r\n\r\n"}) {
    CAPTURE(none);
    CHECK_FALSE(read(none).may_reuse);
  }
}

TEST_CASE("an answer that could be framed in two ways is refused") {
  for (const char* fields :
       {"Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 1, 1\r\n", "Content-Length: +1\r\n", "Content-Length: 0x1\r\n",
        "Content-Length: 1;x\r\n", "Content-Length: 1 1\r\n", "Content-Length: \"1\"\r\n",
        "Content-Length:\r\n", "Content-Length: 1\r\n 1\r\n", "X: a\rContent-Length: 2\r\n",
        "Content-Length: 18446744073709551617\r\n"}) {
    CAPTURE(fields);
    const Read got = read(std::string("HTTP/1.1 200 OK\r\n") + fields + "\r\nab");
    CHECK(got.state == State::broken);
    CHECK(got.body.empty());
  }
  for (const char* chunk : {"0x1", "-1", "+1", "", " 1", "10000000000000001", "1\n", "1;\"\r\n"}) {
    CAPTURE(chunk);
    const Read got = read(std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") +
                          chunk + "\r\na\r\n0\r\n\r\n");
    CHECK(got.state == State::broken);
    CHECK(got.body.empty());
  }
  // Unknown codings have no end of their own.
  for (const char* coding : {"xchunked", "chunked, identity",
                             "\x0b"
                             "chunked"}) {
    CAPTURE(coding);
    const Read got = read(std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: ") + coding +
                              "\r\nContent-Length: 1\r\n\r\nab",
                          /*ends=*/true);
    CHECK(got.body == "ab");
    CHECK_FALSE(got.may_reuse);
  }
}

TEST_CASE("NUL, versions and statuses that there are not are refused") {
  using namespace std::string_literals;
  for (const std::string& head :
       {"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n"s, "HTTP/1.1 200 OK\r\nX\0: b\r\n\r\n"s,
        "HTTP/1.1 200 O\0K\r\n\r\n"s, "HTTP/1.1 000 None\r\n\r\n"s, "HTTP/1.1 99 None\r\n\r\n"s,
        "HTTP/1.1 1000 None\r\n\r\n"s, "HTTP/0.9 200 OK\r\n\r\n"s, "HTTP/1.2 200 OK\r\n\r\n"s}) {
    CAPTURE(head);
    const Read got = read(head, /*ends=*/true);
    CHECK(got.state == State::broken);
    CHECK(got.problem.starts_with("the answer is not HTTP: "));
  }
}

TEST_CASE("what is cut off or no HTTP is broken, and says why") {
  CHECK(read("", true).problem == "the connection ended before an answer came");
  CHECK(read("HTTP/1.1 200 OK\r\nContent-Le", true).problem ==
        "the connection ended within the answer");
  CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", true).state == State::broken);
  CHECK(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", true).state ==
        State::broken);
  for (const char* bytes : {"hello there\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    CAPTURE(bytes);
    const Read got = read(bytes);
    CHECK(got.state == State::broken);
    CHECK(got.problem.starts_with("the answer is not HTTP: "));
  }
}

TEST_CASE("an endless head is too large, whatever it is made of") {
  const std::string start = "HTTP/1.1 200 OK\r\n";
  const std::string interim = "HTTP/1.1 100 Continue\r\nX: y\r\n\r\n";
  for (const std::string& piece :
       {std::string("X: y\r\n"), std::string(" "), std::string("x"), interim}) {
    CAPTURE(piece);
    Body body;
    HttpAnswerParser parser(body);
    if (piece != interim) parser.take(start + (piece == " " ? "X:" : ""));
    for (int i = 0; i < 100'000 && parser.state() == State::unfinished; ++i) parser.take(piece);
    CHECK(parser.state() == State::too_large);
  }
}

TEST_CASE("endless trailers are too large") {
  Body body;
  HttpAnswerParser parser(body);
  parser.take("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n");
  for (int i = 0; i < 100'000 && parser.state() == State::unfinished; ++i) parser.take("X: y\r\n");
  CHECK(parser.state() == State::too_large);
  CHECK(parser.headers().size() == 1);
}

TEST_CASE("an odd trailer takes no answer away, only its connection") {
  const Read odd =
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx y: z\r\n\r\n");
  CHECK(odd.state == State::whole);
  CHECK(odd.body == "ok");
  CHECK_FALSE(odd.may_reuse);
  CHECK(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nx\r\n\r\n").state ==
        State::broken);
}

TEST_CASE("what surrounds the body is counted") {
  Body body;
  HttpAnswerParser parser(body);
  parser.take("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na");
  CHECK(parser.padding_bytes() == 0);
  parser.take("\r\n1;" + std::string(1000, 'x'));
  CHECK(parser.padding_bytes() == 1004);
  CHECK(parser.body_bytes() == 1);
}

}  // namespace sluice
