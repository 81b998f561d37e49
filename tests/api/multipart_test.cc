#include "api/multipart.h"

#include <doctest/doctest.h>

#include <string>

namespace sluice {
namespace {

constexpr const char* form =
    "a preamble\r\n--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n"
    "--b  \r\nContent-Type: application/octet-stream\r\n"
    "content-disposition: form-data; name=file; filename=\"a \\\"b\\\";c.jsonl\"\r\n\r\n"
    "line\r\n--x\r\n--\r\n\r\n--b\r\nContent-Disposition: form-data; "
    "name=\"empty\"\r\n\r\n\r\n--b--\r\n"
    "an epilogue";

// The events read, as text: name(filename)=data;
std::string read(MultipartReader& reader, const std::string& body, size_t step) {
  std::string said;
  for (size_t at = 0; at < body.size(); at += step) {
    reader.feed(std::string_view(body).substr(at, step));
    while (const auto event = reader.next()) {
      if (event->kind == MultipartEvent::Kind::part) {
        said += event->text + "(" + event->filename.value_or("-") + ")=";
      } else {
        said += event->kind == MultipartEvent::Kind::data ? event->text : ";";
      }
    }
  }
  return said;
}

}  // namespace

TEST_CASE("a form is read the same in whatever pieces it comes") {
  for (size_t step = 1; step < 400; ++step) {
    CAPTURE(step);
    MultipartReader reader("b");
    CHECK(read(reader, form, step) ==
          "purpose(-)=batch;file(a \"b\";c.jsonl)=line\r\n--x\r\n--\r\n;empty(-)=;");
    CHECK(reader.is_whole());
  }
}

TEST_CASE("what is no form is broken, what is cut off is not whole") {
  MultipartReader reader("b");
  const std::string whole = form;
  read(reader, whole.substr(0, whole.find("--b--")), 7);
  CHECK_FALSE(reader.is_whole());
  CHECK_FALSE(reader.is_broken());
  for (const char* body : {"--bb\r\n", "--b-x\r\n", "--b\r\n\r\nno headers\r\n--b--",
                           "--b\r\nContent-Disposition: form-data\r\n\r\nno name\r\n--b--"}) {
    CAPTURE(body);
    MultipartReader broken("b");
    read(broken, body, 100);
    CHECK(broken.is_broken());
  }
}

TEST_CASE("headers and blanks without end are broken before they fill the memory") {
  for (const char* begun : {"--b\r\nX: ", "--b "}) {
    MultipartReader reader("b");
    read(reader, begun + std::string(100'000, ' '), 1000);
    CHECK(reader.is_broken());
  }
}

TEST_CASE("a form of very many parts is broken") {
  MultipartReader reader("b");
  std::string body = "--b";
  for (int i = 0; i < 33; ++i) body += "\r\nContent-Disposition:;name=\r\n\r\n\r\n--b";
  read(reader, body, 1000);
  CHECK(reader.is_broken());
}

TEST_CASE("the boundary is what a Content-Type names") {
  CHECK(multipart_boundary("multipart/form-data; boundary=x-1") == "x-1");
  CHECK(multipart_boundary("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"") == "a b");
  for (const char* type :
       {"", "text/plain; boundary=x", "multipart/form-data",
        "multipart/form-data; boundary=", "multipart/form-data; boundary=\"x \""}) {
    CHECK(multipart_boundary(type) == "");
  }
  CHECK(multipart_boundary("multipart/form-data; boundary=" + std::string(71, 'x')) == "");
}

}  // namespace sluice
