#include "api/console_page.h"

#include <doctest/doctest.h>

#include <string>

#include "api/embedded_web.h"

namespace sluice {
namespace {

HttpReply look(std::string path, HttpFields headers = {}) {
  HttpIncoming incoming;
  incoming.method = "GET";
  incoming.path = std::move(path);
  incoming.headers = std::move(headers);
  return console_page(incoming);
}

// The <base> of the page at `path`; empty: no page is there.
std::string base_at(const std::string& path) {
  const HttpReply reply = look(path);
  const size_t at = reply.body.find("<base href=\"");
  if (reply.status != 200 || at == std::string::npos) return {};
  const size_t begin = at + std::string_view("<base href=\"").size();
  return reply.body.substr(begin, reply.body.find('"', begin) - begin);
}

}  // namespace

TEST_CASE("what lies below /console is the console's, and nothing else") {
  CHECK(console_place("/console") == ConsolePlace::page);
  CHECK(console_place("/console/models/gpt") == ConsolePlace::page);
  CHECK(console_place("/console/session") == ConsolePlace::session);
  CHECK(console_place("/console/session/x") == ConsolePlace::page);
  CHECK(console_place("/console/v1") == ConsolePlace::api);
  CHECK(console_place("/console/v1/tasks") == ConsolePlace::api);
  CHECK(console_place("/console/v10") == ConsolePlace::page);
  for (const char* path : {"", "/", "/consoles", "/console.js", "/v1/console", "/Console",
                           "//console", "/console%2Fv1"}) {
    CAPTURE(path);
    CHECK(console_place(path) == ConsolePlace::none);
  }
}

TEST_CASE("a browser's look at / leads to the page") {
  HttpIncoming incoming;
  incoming.method = "GET";
  incoming.path = "/";
  CHECK(console_place(incoming) == ConsolePlace::none);
  for (const char* accept : {"*/*", "application/json", "text/htmlx", "text/*"}) {
    CAPTURE(accept);
    incoming.headers = {{"accept", accept}};
    CHECK(console_place(incoming) == ConsolePlace::none);
  }
  incoming.headers = {{"accept", "application/xml, Text/HTML;q=0.9"}};
  CHECK(console_place(incoming) == ConsolePlace::page);
  CHECK(find_field(console_page(incoming).headers, "Location") == "console/");
  incoming.method = "POST";
  CHECK(console_place(incoming) == ConsolePlace::none);
  incoming.method = "GET";
  incoming.path = "/v1";
  CHECK(console_place(incoming) == ConsolePlace::none);
}

TEST_CASE("the API's paths are those of /v1") {
  CHECK(api_path("/console/v1/tasks/7") == "/v1/tasks/7");
  for (const char* path : {"/v1/tasks", "/console/models", "/console/session", "/console"}) {
    CHECK(api_path(path) == path);
  }
}

TEST_CASE("a page's base leads to /console/ from wherever it is") {
  CHECK(base_at("/console/") == "./");
  CHECK(base_at("/console/index.html") == "./");
  CHECK(base_at("/console/models") == "./");
  CHECK(base_at("/console/models/gpt-4.1") == "../");
  CHECK(base_at("/console/models/a%2Fb") == "../");
  CHECK(base_at("/console/models/") == "../");
  CHECK(base_at("/console//models") == "../");
  CHECK(base_at("/console/a/b/c/d") == "../../../");
}

TEST_CASE("what is named as a file and not there, or too deep, is not found") {
  for (const char* path : {"/console/nothing.js", "/console/models/nothing.css", "/console/.html",
                           "/console/a/b/c/d/e", "/console/a/index.html"}) {
    CAPTURE(path);
    CHECK(look(path).status == 404);
  }
}

TEST_CASE("/console leads into the folder, relative to where it is itself") {
  const HttpReply reply = look("/console");
  CHECK(reply.status == 302);
  CHECK(find_field(reply.headers, "Location") == "console/");
}

TEST_CASE("a browser that has the page is told so") {
  const HttpReply plain = look("/console/");
  const std::string tag(find_field(plain.headers, "ETag"));
  CHECK(plain.body == embedded_web_pages()[0].plain);
  for (const std::string& has : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    CAPTURE(has);
    const HttpReply same = look("/console/", {{"if-none-match", has}});
    CHECK(same.status == 304);
    CHECK(same.body.empty());
    CHECK(find_field(same.headers, "ETag") == tag);
  }
  for (const std::string& has : {std::string("\"x\""), tag.substr(1), std::string()}) {
    CAPTURE(has);
    CHECK(look("/console/", {{"if-none-match", has}}).status == 200);
  }
}

TEST_CASE("who takes gzip gets it, with a tag of its own") {
  const HttpReply packed = look("/console/", {{"accept-encoding", "br, gzip"}});
  REQUIRE(find_field(packed.headers, "Content-Encoding") == "gzip");
  CHECK(packed.body == embedded_web_pages()[0].gzip);
  CHECK(find_field(packed.headers, "Vary") == "Accept-Encoding");
  const HttpReply plain = look("/console/");
  CHECK(find_field(plain.headers, "Content-Encoding").empty());
  CHECK(find_field(plain.headers, "ETag") != find_field(packed.headers, "ETag"));
}

TEST_CASE("gzip is taken where it is named, and not with the weight 0") {
  for (const char* accept : {"gzip", "GZIP", "deflate, gzip;q=1.0, *;q=0.5", "gzip; q=0.001"}) {
    CAPTURE(accept);
    CHECK(takes_gzip(accept));
  }
  for (const char* accept : {"", "identity", "gzip;q=0", "gzip; q=0.000", "br", "xgzip", "*"}) {
    CAPTURE(accept);
    CHECK_FALSE(takes_gzip(accept));
  }
}

TEST_CASE("each file is found by its name") {
  for (const WebFile& file : embedded_web_files()) {
    CAPTURE(file.name);
    const HttpReply reply = look("/console/" + std::string(file.name));
    CHECK(reply.status == 200);
    CHECK(reply.content_type == file.content_type);
    CHECK(reply.body == file.plain);
  }
}

TEST_CASE("no cache keeps an answer that does not say otherwise") {
  HttpReply reply;
  add_console_headers(reply);
  CHECK(find_field(reply.headers, "Cache-Control") == "no-store");
  CHECK(find_field(reply.headers, "Content-Security-Policy") == console_policy);
  HttpReply page = look("/console/");
  add_console_headers(page);
  CHECK(find_field(page.headers, "Cache-Control") == "no-cache");
}

}  // namespace sluice
